"""The integer table phi_j(h, p): exact floors, contention, degradation."""

import dataclasses
from fractions import Fraction

import pytest
from conftest import tiny
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from instances.checker import _Clock
from instances.degradations import parse_degradation
from instances.generation import Draft, assemble
from instances.instance import Job, Network


def instance_of(job, degradation=None, servers=(2, 2), **network):
    given = {"intra_bandwidth": 2.0, "inter_bandwidth": 1.0, "xi1": 1.0, "xi2": 0.0} | network
    degradation = parse_degradation(degradation or {"kind": "linear", "alpha": 0.5})
    jobs = [job, dataclasses.replace(job, id="other")]
    draft = Draft(servers, jobs, Network(**given, degradation=degradation), 10.0)
    return assemble(draft, "one", "one", None, {})


def test_backward_time_alone_gives_50_never_49():
    alone = instance_of(Job("j", 1, 10, 0.0, 1, 0.0, 0.02))
    assert alone.timing.rate(0, 1, 0) == 50
    slower = instance_of(Job("j", 1, 10, 0.0, 1, 0.0, 0.02000001))
    assert slower.timing.rate(0, 1, 0) == 49


@pytest.mark.parametrize("rate", range(1, 400))
def test_the_decimal_written_decides_not_its_binary_neighbour(rate):
    time = float(repr(1 / rate)[:8]) if rate > 1 else 1.0
    instance = instance_of(Job("j", 1, 10, 0.0, 1, 0.0, time))
    assert instance.timing.rate(0, 1, 0) == int(1 / Fraction(repr(time)))


def test_duration_of_a_part_of_a_slot_takes_the_whole_slot():
    instance = instance_of(Job("j", 1, 12, 0.0, 1, 0.0, 0.2))  # 5 a slot: 2.4 slots
    assert instance.timing.duration(0, 1, 0) == 3


def test_equation_8_by_hand():
    job = Job("j", 4, 10, 0.3, 2, 0.01, 0.05)
    instance = instance_of(job, xi2=0.02)
    # 2 * 0.3 * 3/4 / B + 0.3 * 3/4 / 10 + 0.02 h + 0.01 * 2 + 0.05
    rest = Fraction("0.0225") + Fraction("0.07")
    assert instance.timing.tau(0, 2, 1) == Fraction("0.45") + rest + Fraction("0.04")
    slowed = Fraction("0.45") * (2 + Fraction("0.5"))
    assert instance.timing.tau(0, 2, 2) == slowed + rest + Fraction("0.04")


def test_a_lone_job_never_gets_more_than_the_link_has():
    job = Job("j", 4, 10, 0.3, 1, 0.0, 0.05)
    halved = instance_of(job, xi1=0.5)
    assert halved.timing.tau(0, 2, 1) == halved.timing.tau(0, 2, 2)
    assert halved.timing.tau(0, 2, 1) == instance_of(job).timing.tau(0, 2, 1)


def test_power_degradation_has_12_significant_digits():
    power = parse_degradation({"kind": "power", "exponent": 1.5})
    assert power.factor(Fraction(1)) == 1
    assert power.factor(Fraction(2)) == Fraction("2.82842712475")
    assert power.factor(Fraction(4)) == 8


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 500),
    degradation=st.sampled_from(
        [{"kind": "linear", "alpha": 0.3}, {"kind": "power", "exponent": 1.37}]
    ),
)
def test_the_checker_finds_the_same_rates_by_itself(seed, degradation):
    base = tiny(seed)
    network = dataclasses.replace(base.network, degradation=parse_degradation(degradation))
    try:
        instance = dataclasses.replace(base, network=network)
    except ValidationError:
        return
    clock = _Clock(instance.document())
    for j, job in enumerate(instance.jobs):
        for h in range(1, len(instance.servers) + 1):
            for p in range(0 if h == 1 else 1, 5):
                assert clock._rate(job.id, h, p) == instance.timing.rate(j, h, p)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 500))
def test_more_servers_or_more_contention_never_speed_up(seed):
    timing, instance = tiny(seed).timing, tiny(seed)
    for j in range(len(instance.jobs)):
        column = [timing.rate(j, 1, 0)] + [timing.rate(j, h, p) for h in (2, 3) for p in (1, 2, 3)]
        assert column[0] >= max(column)
        assert column[1:4] == sorted(column[1:4], reverse=True)
        assert all(a >= b for a, b in zip(column[1:4], column[4:7], strict=True))
