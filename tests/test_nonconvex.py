"""The paper's own program: non-convex as it stands, and exact at the floor."""

import dataclasses
from fractions import Fraction

import pytest

from benchmarks.brute_force import brute_force
from formulations import Bracket, find_formulation
from instances.bounds import simple_bound
from instances.degradations.linear import Degradation as Linear
from instances.degradations.power import Degradation as Power
from instances.families import find_family
from instances.generation import Draft, assemble
from instances.instance import Job, Network
from instances.timing import Timing
from solvers.backends import find_backend
from solvers.result import Limits
from solvers.solve import solve_exact

GLOBAL = ["scip", "gurobi"]
HALF = Linear(0.5)


def instance_of(servers, jobs, degradation=HALF, xi1=1.0, horizon=None):
    """Jobs are (gpus, iterations, gradient size, backward time); b_i = 10, b_e = 1."""
    drawn = [Job(f"j{i}", g, f, m, 1, 0.0, d) for i, (g, f, m, d) in enumerate(jobs)]
    network = Network(10.0, 1.0, xi1, 0.0, degradation)
    return assemble(Draft(servers, drawn, network, 10.0, horizon), "x", "x", None, {})


def program_of(instance):
    bracket = Bracket(1, instance.horizon, None)
    formulation = find_formulation("nonconvex")
    return formulation.program(instance, bracket, formulation.options())


def degree(constraint):
    return constraint.body.polynomial_degree()


def test_the_paper_s_constraints_are_there_and_not_convex():
    model = program_of(find_family("tiny").generate(1, {})).model
    assert all(degree(model.no_migration[i]) == 3 for i in model.no_migration)  # (3)
    assert all(degree(model.level[i]) == 2 for i in model.level)  # (6)
    assert all(degree(model.indicator[i]) == 2 for i in model.indicator)
    assert all(degree(model.bandwidth[i]) == 2 for i in model.bandwidth)  # (7)
    assert all(degree(model.floor[i]) == 2 for i in model.floor)  # phi tau <= 1
    assert all(degree(model.iterations[i]) == 2 for i in model.iterations)  # (9)
    assert all(model.phi[i].is_integer() for i in model.phi)


def test_no_rate_is_computed_before_the_solver_does(monkeypatch):
    instance = find_family("tiny").generate(1, {})
    bracket = Bracket(simple_bound(instance), instance.horizon, None)

    def refuse(*_):
        raise AssertionError("the program asks for phi_j(h, p)")

    monkeypatch.setattr(Timing, "rate", refuse)
    formulation = find_formulation("nonconvex")
    assert formulation.program(instance, bracket, formulation.options()).kind == "MINLP"


@pytest.mark.parametrize("backend", GLOBAL)
@pytest.mark.parametrize(
    ("backward", "slots"), [(0.02, 1), (0.02000001, 2), (0.020000001, 2), (0.01999999, 1)]
)
def test_the_floor_on_one_server(backend, backward, slots):
    instance = instance_of([1], [(1, 50, 0.0, backward)], horizon=3)
    result = solved_without_bracket(instance, backend)
    assert result.makespan == slots


@pytest.mark.parametrize("backend", GLOBAL)
@pytest.mark.parametrize("degradation", [Linear(0.5), Power(1.0)])
@pytest.mark.parametrize(("excess", "slots"), [(0.0, 1), (1e-8, 2), (-1e-8, 1)])
def test_the_floor_under_contention(backend, degradation, excess, slots):
    # two jobs share a link: tau = 4/3 m f(2) + 2/3 m / C + D is 1/4 without the excess
    compute = 0.25 - 0.004 - 0.08 * float(degradation.factor(Fraction(2)))
    instance = instance_of([2, 2, 2], [(3, 4, 0.06, round(compute, 9) + excess)] * 2, degradation)
    instance = dataclasses.replace(instance, horizon=2)
    assert brute_force(instance).makespan == slots
    assert solved_without_bracket(instance, backend).makespan == slots


def test_a_floor_that_solvers_cannot_tell_is_refused():
    instance = instance_of([1], [(1, 50, 0.0, 0.02 + 1e-12)], horizon=3)
    result = solve_exact(instance, "nonconvex", "scip", {}, Limits(time=60))
    assert (result.status, result.makespan) == ("unsupported", None)
    assert "job j0" in result.message


@pytest.mark.parametrize("degradation", [Linear(0.7), Power(1.5), Power(0.5)])
@pytest.mark.parametrize("xi1", [1.0, 0.75, 0.4])
def test_every_degradation_and_share(degradation, xi1):
    jobs = [(3, 3, 0.2, 0.1), (3, 2, 0.15, 0.2), (1, 3, 0.0, 0.5)]
    instance = instance_of([2, 2, 2], jobs, degradation, xi1)
    result = solve_exact(instance, "nonconvex", "scip", {}, Limits(time=60))
    assert (result.status, result.makespan) == ("optimal", brute_force(instance).makespan)


def test_the_start_is_complete_and_taken():
    instance = find_family("tiny").generate(7, {"jobs": 3})
    result = solve_exact(instance, "nonconvex", "scip", {}, Limits(time=60))
    assert result.warm_start is True


def solved_without_bracket(instance, backend):
    """Solve with no incumbent, so that the slots and the bound are the model's own."""
    solver = find_backend(backend)
    outcome = solver.solve_program(program_of(instance), Limits(time=60), solver.options())
    assert outcome.termination == "optimal"
    return outcome.schedule
