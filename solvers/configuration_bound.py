"""The configuration bound: column generation over the master of formulations/configuration_lp.

A configuration is a set of jobs that run together in one slot, each in a mode (h, p); a profile of
a job says how many slots it runs in each mode. Fewest slots such that configurations cover
profiles is a bound on the makespan. Whatever the linear solver returns, the bound rests on
integers alone: its dual prices are floored, no configuration costs more under them than a search
has shown, and the cheapest profile of every job comes from a knapsack recursion.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import pairwise

import highspy
import numpy as np

from formulations import Prices, Tariff
from instances.errors import Unsupported
from instances.instance import Instance
from solvers.search.driver import make_costs
from solvers.search.pricing import dearest_configuration
from solvers.search.profiles import Floats, cheapest_profile
from solvers.search.stack import make_stack
from solvers.search.tables import Costs, Integers, Problem, coarsened, find_kinds, make_problem

_NODES = 100_000
"""Nodes that the search for one configuration may visit."""
_SHARE, _WHOLE_RUN = 0.1, 60.0
"""The bound may take this share of a run, and of no more than so many seconds."""
_SMOOTHING = 0.7
"""Share of the best prices so far in those at which columns are priced."""
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
        tariff, message = configuration_tariff(instance, seconds, instance.horizon)
    except Unsupported as error:
        return None, str(error)
    return tariff.bound, message


def configuration_tariff(instance: Instance, seconds: float, enough: int) -> tuple[Tariff, str]:
    """The best prices in that time, or the first whose bound is `enough`; and how it went.

    Raises
    ------
    Unsupported
        Where phi increases with contention or with the number of servers.
    """
    problem, grain = coarsened(make_problem(instance, find_kinds(instance)))
    prices, message = _best_prices(problem, seconds, enough)
    costs = make_costs(problem, grain, [prices])
    return Tariff(prices, problem.copies, costs.fresh[0], _mode_costs(problem, costs)), message


def _mode_costs(problem: Problem, costs: Costs) -> Integers:
    """Cost of a whole job of which one slot, at least, is spent in a mode."""
    cost = np.zeros(problem.rate.shape, dtype=np.int64)
    for mode in np.ndindex(cost.shape):
        run = int(costs.offset[mode[:2]])
        if run >= 0:
            left = max(0, int(problem.iterations[mode[0]] - problem.rate[mode]))
            cost[mode] = costs.price[0][mode] + costs.table[0, run + left]
    return cost


def _best_prices(problem: Problem, seconds: float, enough: int) -> tuple[Prices, str]:
    """Prices whose bound is, rounded up, the value of the configuration LP, or the best in time.

    Column generation with smoothed duals: columns are priced between the duals of the master and
    the best prices so far, which are those by GPU-slots at first.
    """
    until = time.perf_counter() + seconds
    master, pricing = Master(problem), _Pricing(problem)
    _first_columns(problem, master)
    gpus = problem.gpus[:, None, None] / problem.capacity.sum()
    center: Floats = np.broadcast_to(gpus, problem.rate.shape)
    best, rounds, smoothing = pricing.price(center), 0, _SMOOTHING
    while True:
        rounds += 1
        value, per_job, current = master.solve()
        price = smoothing * center + (1 - smoothing) * current
        found = pricing.price(price)
        if found.bound > best.bound:
            best, center = found, price
        improved = found.add_to(master, per_job, current)
        if math.ceil(best.bound - _EPSILON) >= min(enough, math.ceil(value - _EPSILON)):
            return best.prices, f"{best.bound:.3f} after {rounds} rounds"
        if time.perf_counter() > until or not (improved or smoothing):
            return best.prices, f"{best.bound:.3f}, at most {value:.3f}, {rounds} rounds"
        smoothing = _SMOOTHING if improved else 0.0


def _first_columns(problem: Problem, master: Master) -> None:
    """Every kind alone in the cluster, on its fewest servers."""
    modes = np.zeros(problem.rate.shape, dtype=np.int64)
    slots = np.zeros(problem.rate.shape[2])
    for kind in range(problem.copies.size):
        servers = int(problem.least_servers[kind])
        level = int(servers > 1)
        modes[:], slots[:] = 0, 0
        modes[kind, servers, level] = 1
        master.add_configuration(modes)
        slots[level] = -(-problem.iterations[kind] // problem.rate[kind, servers, level])
        master.add_profile(kind, servers, slots)


@dataclass(frozen=True)
class _Found:
    """The columns that look best at some prices, and the bound that these prices give."""

    bound: float
    prices: Prices
    configuration: Integers
    profiles: list[tuple[int, Floats]]

    def add_to(self, master: Master, per_job: Floats, current: Floats) -> bool:
        """Add those columns that improve the master, whose duals are given."""
        improved = False
        if (self.configuration * current).sum() > 1 + _EPSILON:
            master.add_configuration(self.configuration)
            improved = True
        for kind, (servers, slots) in enumerate(self.profiles):
            if (slots * current[kind, servers]).sum() < per_job[kind] - _EPSILON:
                master.add_profile(kind, servers, slots)
                improved = True
        return improved


class _Pricing:
    """The dearest configuration and the cheapest profiles at given prices."""

    def __init__(self, problem: Problem) -> None:
        self._problem, self._stack = problem, make_stack(problem, 0, 2)
        self._work = np.zeros(int(problem.iterations.max()) + 1)

    def price(self, price: Floats) -> _Found:
        """Price both sides; the bound rests on integers, so that no rounding can spoil it."""
        problem = self._problem
        whole = _monotone(np.floor(price * _SCALE).astype(np.int64))
        configuration = np.zeros(problem.rate.shape, dtype=np.int64)
        _, dearest = dearest_configuration(problem, whole, self._stack, configuration, _NODES)
        profiles, owed = [], 0.0
        for kind in range(problem.copies.size):
            slots = np.zeros(problem.rate.shape[2])
            cost, servers = cheapest_profile(
                problem, kind, whole.astype(np.float64), slots, self._work
            )
            profiles.append((servers, slots))
            owed += cost * problem.copies[kind]
        unit = max(1, int(dearest))
        return _Found(owed / unit, Prices(whole, unit), configuration, profiles)


def _monotone(price: Integers) -> Integers:
    """Prices that do not increase in p: rounding may have disturbed that."""
    price[:, 2:, 1:] = np.minimum.accumulate(price[:, 2:, 1:], axis=2)
    return price
