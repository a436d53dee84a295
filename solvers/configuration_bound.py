"""The configuration bound: column generation over the master of formulations/configuration_lp.

A configuration is a set of jobs that run together in one slot, each in a mode (h, p); a profile of
a job says how many slots it runs in each mode. Fewest slots such that configurations cover
profiles is a bound on the makespan. Whatever the linear solver returns, the bound rests on
integers alone: its dual prices are floored, the dearest configuration under them is found exactly,
and the cheapest profile of every job by a knapsack recursion.
"""

from __future__ import annotations

import time
from itertools import pairwise

import highspy
import numpy as np

from instances.instance import Instance
from solvers.search.driver import make_costs
from solvers.search.pricing import dearest_configuration
from solvers.search.profiles import Floats, cheapest_profile
from solvers.search.stack import make_stack
from solvers.search.tables import Integers, Prices, Problem, find_kinds, make_problem

_NODES = 300_000
"""Nodes that the search for one configuration may visit."""
_SHARE, _WHOLE_RUN = 0.1, 60.0
"""The bound may take this share of a run, and of no more than so many seconds."""
_EPSILON = 1e-7
_SCALE = 10**7
"""Dual prices in the pricing of configurations are integers in units of 1 / _SCALE slot."""


class Master:
    """The restricted master as a linear program in HiGHS.

    Rows: one per kind (as many profiles as there are jobs) and one per kind, h and p (slots that
    configurations offer, less slots that profiles need, at least 0).
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        highspy.Highs.resetGlobalScheduler(True)
        self._solver = highspy.Highs()
        self._solver.silent()
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            self._solver.setOptionValue(option, value)
        kinds = problem.copies.size
        self.row = np.full(problem.rate.shape, -1, dtype=np.int64)
        rows = kinds
        for kind in range(kinds):
            self._solver.addRow(float(problem.copies[kind]), highspy.kHighsInf, 0, [], [])
        for kind in range(kinds):
            for servers in range(problem.least_servers[kind], problem.most_servers[kind] + 1):
                for level in self._levels(kind, servers):
                    self.row[kind, servers, level] = rows
                    self._solver.addRow(0.0, highspy.kHighsInf, 0, [], [])
                    rows += 1
        self._add_downgrades()

    def _levels(self, kind: int, servers: int) -> range:
        """Levels at which a kind makes progress on `servers` servers."""
        if servers == 1:
            return range(1)
        rate = self._problem.rate[kind, servers]
        return range(1, max(p for p in range(1, rate.size) if rate[p]) + 1)

    def _add_downgrades(self) -> None:
        """A slot at level p may count as one at p + 1, so that prices do not increase in p."""
        for kind, servers in np.ndindex(self.row.shape[:2]):
            rows = [row for row in self.row[kind, servers] if row >= 0]
            for better, worse in pairwise(rows):
                self._add(0.0, [better, worse], [-1.0, 1.0])

    def _add(self, cost: float, rows: list[int], values: list[float]) -> None:
        self._solver.addCol(
            cost, 0.0, highspy.kHighsInf, len(rows), np.array(rows, np.int32), np.array(values)
        )

    def add_configuration(self, modes: Integers) -> None:
        """A column of cost 1 slot; `modes` counts jobs by (kind, h, p)."""
        used = [mode for mode in zip(*np.nonzero(modes), strict=True) if self.row[mode] >= 0]
        self._add(1.0, [int(self.row[m]) for m in used], [float(modes[m]) for m in used])

    def add_profile(self, kind: int, servers: int, slots: Floats) -> None:
        """A way to get one job of `kind` done."""
        levels = np.nonzero(slots)[0]
        rows = [kind, *(int(self.row[kind, servers, p]) for p in levels)]
        self._add(0.0, rows, [1.0, *(-float(slots[p]) for p in levels)])

    def solve(self) -> tuple[float, Floats, Floats]:
        """Value, price of a job by kind, price of a slot by (kind, h, p)."""
        self._solver.run()
        duals = np.array(self._solver.getSolution().row_dual)
        price = np.where(self.row >= 0, np.maximum(duals[np.maximum(self.row, 0)], 0.0), 0.0)
        value = float(self._solver.getInfo().objective_function_value)
        return value, duals[: self._problem.copies.size], price


def pricing_seconds(limit: float | None) -> float:
    """What the bound may take of a run's time limit."""
    return _SHARE * min(_WHOLE_RUN, limit or _WHOLE_RUN)


def configuration_bound(instance: Instance, seconds: float) -> tuple[int | None, str]:
    """The value of the configuration LP, rounded up, in slots; or None, and the reason."""
    try:
        problem = make_problem(instance, find_kinds(instance))
    except ValueError as error:
        return None, str(error)
    prices, message = configuration_prices(problem, seconds)
    if prices is None:
        return None, message
    owed = int((make_costs(problem, [prices]).fresh[0] * problem.copies).sum())
    return -(-owed // prices.unit), message


def configuration_prices(problem: Problem, seconds: float) -> tuple[Prices | None, str]:
    """Prices whose bound is the value of the configuration LP, or the reason why there are none."""
    until = time.perf_counter() + seconds
    master = Master(problem)
    stack = make_stack(problem, 0, 2)
    found = np.zeros(problem.rate.shape, dtype=np.int64)
    slots = np.zeros(problem.rate.shape[2])
    work = np.zeros(int(problem.iterations.max()) + 1)
    for kind in range(problem.copies.size):
        servers = int(problem.least_servers[kind])
        level = int(servers > 1)
        found[:] = 0
        found[kind, servers, level] = 1
        master.add_configuration(found)
        slots[:] = 0
        slots[level] = -(-problem.iterations[kind] // problem.rate[kind, servers, level])
        master.add_profile(kind, servers, slots)
    rounds = 0
    while True:
        if time.perf_counter() > until:
            return None, f"not found in {seconds:g} s"
        rounds += 1
        value, per_job, price = master.solve()
        improved = False
        for kind in range(problem.copies.size):
            cost, servers = cheapest_profile(problem, kind, price, slots, work)
            if cost < per_job[kind] - _EPSILON:
                master.add_profile(kind, servers, slots)
                improved = True
        whole = _monotone(np.floor(price * _SCALE).astype(np.int64))
        dearest, exact = dearest_configuration(
            problem, whole, stack, found, _SCALE + _SCALE // 1000, _NODES
        )
        if dearest > _SCALE * (1 + _EPSILON):
            master.add_configuration(found)
            improved = True
        if not improved:
            if not exact:
                return None, f"pricing a configuration exceeds {_NODES} nodes"
            return Prices(whole, max(1, int(dearest))), f"value {value:.3f}, {rounds} rounds"


def _monotone(price: Integers) -> Integers:
    """Prices that do not increase in p: rounding may have disturbed that."""
    price[:, 2:, 1:] = np.minimum.accumulate(price[:, 2:, 1:], axis=2)
    return price
