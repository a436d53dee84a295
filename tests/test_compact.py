"""The compact MILP: against brute force, without and with all that is put before it."""

from dataclasses import replace

import pyomo.environ as pyo
import pytest
from conftest import jobs_of_slots

from benchmarks.brute_force import brute_force
from formulations import Bracket, find_formulation
from formulations.compact import Options, build, restriction
from instances.bounds import simple_bound
from instances.families import find_family
from instances.kinds import job_kinds
from instances.schedule import Schedule
from instances.simulator import simulate
from solvers.backends import find_backend
from solvers.bracket import find_bracket, narrowed
from solvers.configuration_bound import configuration_bound, configuration_tariff
from solvers.judge import round_up, verdict_on
from solvers.multistart import improved
from solvers.result import Limits
from solvers.solve import solve_exact

CASES = [
    ("tiny", {"jobs": 4, "servers": 3, "gpus_per_server": 2}),
    ("contended", {"jobs": 3, "servers": 2, "gpus_per_server": 3, "min_gpus": 2, "max_slots": 5}),
    ("fragmented", {"jobs": 4, "servers": 2, "gpus_per_server": 3, "max_slots": 5}),
    ("uniform", {"jobs": 4, "servers": 2, "gpus_per_server": 3, "max_slots": 5}),
    ("calibrated", {"jobs": 4, "servers": 2, "gpus_per_server": 2}),
    ("contended", {"jobs": 3, "servers": 3, "gpus_per_server": 2, "max_slots": 4}),
]


def solved(program, backend="highs"):
    solver = find_backend(backend)
    return solver.solve_program(program, Limits(), solver.options())


def optimum_of(instance):
    best = brute_force(instance)
    return best, Bracket(simple_bound(instance), min(instance.horizon, best.makespan + 1), None)


def priced(instance, bracket, upper):
    """The bracket with prices, at which every mode has to pay for itself in `upper` slots."""
    tariff, _ = configuration_tariff(instance, 60, instance.horizon)
    return replace(bracket, upper=upper, tariff=tariff)


def modes_of(instance, schedule):
    """Every (kind, h, p) that occurs in some slot."""
    kind = {j: k for k, jobs in enumerate(job_kinds(instance)) for j in jobs}
    ends = simulate(instance, schedule.starts, schedule.placements)
    for t in range(schedule.makespan):
        active = [j for j, end in enumerate(ends) if schedule.starts[j] <= t < end]
        wide = [s for j in active if len(q := schedule.placements[j]) > 1 for s, _ in q]
        for j in active:
            placement = schedule.placements[j]
            level = max(wide.count(s) for s, _ in placement) if len(placement) > 1 else 0
            yield kind[j], len(placement), level


@pytest.mark.parametrize(("family", "settings"), CASES[:5])
@pytest.mark.parametrize("seed", range(60))
def test_agrees_with_brute_force_on_300_tiny_instances(family, settings, seed):
    """Through everything: multistart, configuration bound, restriction, model."""
    instance = find_family(family).generate(seed, settings)
    result = solve_exact(instance, "compact", "highs", {}, Limits(seed=seed))
    assert result.proven
    assert result.makespan == brute_force(instance).makespan


@pytest.mark.parametrize("backend", ["highs", "scip", "cbc"])
@pytest.mark.parametrize(("family", "settings"), CASES[:3])
@pytest.mark.parametrize("seed", [0, 5])
def test_the_model_alone_agrees_with_brute_force(family, settings, seed, backend):
    """From the simple bounds, with no incumbent: nothing is proven before the model is solved."""
    instance = find_family(family).generate(seed, settings)
    best, bracket = optimum_of(instance)
    for given in (bracket, priced(instance, bracket, best.makespan)):
        outcome = solved(build(instance, given, Options()), backend)
        assert verdict_on(instance, outcome.schedule).makespan == best.makespan
        assert round_up(outcome.bound) == best.makespan


@pytest.mark.parametrize(("family", "settings"), CASES)
def test_fewer_slots_than_the_optimum_are_infeasible(family, settings):
    refuted = 0
    for seed in range(12):
        instance = find_family(family).generate(seed, settings)
        best, bracket = optimum_of(instance)
        if bracket.lower < best.makespan:
            program = build(instance, priced(instance, bracket, best.makespan - 1), Options())
            assert solved(program).termination == "infeasible"
            refuted += 1
    assert refuted


@pytest.mark.parametrize(("family", "settings"), CASES)
def test_prices_allow_every_mode_of_an_optimum(family, settings):
    spanning = 0
    for seed in range(20):
        instance = find_family(family).generate(seed, settings)
        best, bracket = optimum_of(instance)
        tariff = priced(instance, bracket, best.makespan).tariff
        for kind, servers, level in modes_of(instance, best):
            assert tariff.affordable(kind, servers, level, best.makespan)
            spanning += servers > 1
    assert spanning


@pytest.mark.parametrize(("family", "settings"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_the_restriction_finds_schedules_and_never_too_good_ones(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    best, bracket = optimum_of(instance)
    outcome = solved(restriction(instance, bracket, Options()))
    if outcome.schedule is not None:
        assert verdict_on(instance, outcome.schedule).makespan >= best.makespan


@pytest.mark.parametrize(("family", "settings"), CASES)
@pytest.mark.parametrize("seed", range(3))
def test_a_start_from_a_checked_schedule_satisfies_every_constraint(family, settings, seed):
    instance = find_family(family).generate(seed, settings)
    best, _ = optimum_of(instance)
    backwards = Schedule(best.starts, _mirrored(instance, best.placements), best.makespan)
    for schedule in (best, backwards):
        if not verdict_on(instance, schedule).feasible:
            continue
        bracket = Bracket(1, best.makespan + 1, schedule)
        for given in (bracket, priced(instance, bracket, best.makespan)):
            program = build(instance, given, Options())
            program.start(schedule)
            for constraint in program.model.component_data_objects(pyo.Constraint):
                assert constraint.slack() > -1e-6, constraint.name
            assert program.read().makespan == best.makespan


def _mirrored(instance, placements):
    """Servers in reverse order: where they are equal, this breaks every rule of symmetry."""
    last = len(instance.servers) - 1
    return tuple(tuple(sorted((last - s, n) for s, n in placement)) for placement in placements)


def test_the_start_is_taken():
    instance = find_family("contended").generate(1, {"jobs": 4, "servers": 3})
    bracket = improved(instance, Bracket(1, instance.horizon, None), 0)
    program = build(instance, bracket, Options())
    program.start(bracket.incumbent)
    solver = find_backend("highs")
    assert solver.solve_program(program, Limits(time=1), solver.options()).warm_start


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_agrees_with_the_search_on_contended_instances(seed):
    instance = find_family("contended").generate(seed, {"jobs": 6, "servers": 3})
    found = solve_exact(instance, "compact", "highs", {}, Limits(time=300))
    searched = solve_exact(instance, None, "search", {}, Limits(time=300))
    assert found.proven and searched.proven
    assert found.makespan == searched.makespan


def test_its_bracket_is_narrow_and_that_of_the_textbook_simple():
    instance = find_family("contended").generate(0, {"jobs": 12, "servers": 4})
    simple = find_bracket(instance)
    narrow = narrowed(instance, simple, None, 0)
    assert narrow.lower == configuration_bound(instance, 60)[0] > simple.lower
    assert narrow.upper <= simple.upper
    assert find_formulation("compact").bracket == "narrow"
    assert find_formulation("linearized").bracket == "simple"


def test_one_server_needs_no_contention():
    instance = jobs_of_slots([2], [(1, 1), (1, 1), (1, 2)], horizon=10)
    program = build(instance, find_bracket(instance), Options())
    assert len(program.model.rate) == len(program.model.level) == 0
    assert solved(program).schedule.makespan == 2
