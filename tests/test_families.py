"""Every registered family keeps the same promises; some keep more."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.cli import main
from instances.bounds import gpu_slots, simple_bound
from instances.checker import check
from instances.errors import InputError
from instances.families import family_names, find_family
from instances.instance import Instance
from instances.timing import exact
from solvers.dispatch import dispatch

ROOT = Path(__file__).resolve().parent.parent
NOT_RANDOM = {"graham", "sjf-trap"}


@pytest.fixture(params=family_names())
def family(request):
    return find_family(request.param)


def test_describes_itself_in_one_sentence(family):
    assert family.summary.endswith(".")


@pytest.mark.parametrize("seed", range(4))
def test_defaults_make_a_valid_instance_that_survives_its_file(family, seed):
    instance = family.generate(seed, {})
    document = json.loads(json.dumps(instance.document(), allow_nan=False))
    read = Instance.from_document(document, "file")
    assert read.document() == document == instance.document()
    assert read.fingerprint == instance.fingerprint
    assert (instance.family, instance.seed) == (family.name, seed)
    assert instance.parameters.keys() == set(family.parameters.__dataclass_fields__)
    if "horizon" not in instance.parameters:
        assert instance.horizon == 1 + sum(instance.timing.shortest)


def test_seed_decides_everything(family):
    first, again, other = (family.generate(seed, {}) for seed in (5, 5, 6))
    assert first.document() == again.document()
    assert (first.fingerprint == other.fingerprint) == (family.name in NOT_RANDOM)


def test_unknown_parameter_and_bad_value_are_refused_in_one_line(family):
    first = next(iter(family.parameters.__dataclass_fields__))
    for settings in ({"no_such": "1"}, {first: "-1"}, {first: "many"}, {first: "nan"}):
        with pytest.raises(InputError) as caught:
            family.generate(0, settings)
        assert next(iter(settings)) in str(caught.value)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="seed -1"):
        family.generate(-1, {})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["tiny", "uniform", "contended", "fragmented", "calibrated"])
def test_a_longer_list_of_jobs_keeps_its_prefix(name, seed):
    few, many = (find_family(name).generate(seed, {"jobs": n, "servers": 3}) for n in (3, 6))
    assert many.jobs[:3] == few.jobs
    assert many.servers == few.servers


@given(
    st.sampled_from(["uniform", "contended", "fragmented", "calibrated", "planted"]),
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.integers(2, 5),
    st.integers(1, 8),
)
def test_every_size_makes_the_instance_that_was_asked_for(name, seed, jobs, servers, gpus):
    asked = {"jobs": jobs, "servers": servers, "gpus_per_server": gpus}
    instance = find_family(name).generate(seed, asked)
    assert (len(instance.jobs), len(instance.servers)) == (jobs, servers)
    assert max(server.gpus for server in instance.servers) <= gpus
    assert len({job.id for job in instance.jobs}) == jobs


@pytest.mark.parametrize("name", ["uniform", "contended", "fragmented", "calibrated"])
@pytest.mark.parametrize(("low", "high"), [(3, 15), (1, 1), (4, 4), (20, 60)])
def test_durations_stay_in_the_range_asked_for(name, low, high):
    family = find_family(name)
    settings = {"jobs": 200, "min_slots": low, "max_slots": high}
    shortest = family.generate(1, settings).timing.shortest
    assert min(shortest) >= low
    assert max(shortest) <= high
    assert len(set(shortest)) > (high - low) // 2
    with pytest.raises(InputError, match=f"min_slots = {high + 1}: must be at most"):
        family.generate(1, {"min_slots": high + 1, "max_slots": high})


# --- contended and fragmented


def test_contended_jobs_must_span_and_slow_each_other_down():
    instance = find_family("contended").generate(2, {"jobs": 100})
    timing = instance.timing
    for j, job in enumerate(instance.jobs):
        assert job.gpus > 4
        alone, two, three = (timing.rate(j, timing.fewest_servers[j], p) for p in (1, 2, 3))
        assert three < two < 0.8 * alone


def test_contended_offers_a_mix_of_sizes():
    settings = {"jobs": 100, "min_gpus": 2, "max_gpus": 8}
    sizes = {job.gpus for job in find_family("contended").generate(0, settings).jobs}
    assert sizes == set(range(2, 9))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"servers": 1}, "servers = 1: have 4 GPUs, fewer than a job of 5"),
        ({"min_gpus": 7, "max_gpus": 6}, "min_gpus = 7: must be at most max_gpus = 6"),
    ],
)
def test_contended_refuses_sizes_that_do_not_exist(settings, said):
    with pytest.raises(InputError, match=said):
        find_family("contended").generate(0, settings)


def test_fragmented_jobs_leave_gaps():
    instance = find_family("fragmented").generate(0, {"jobs": 200, "servers": 4})
    capacities = {server.gpus for server in instance.servers}
    assert len(capacities) > 1
    sizes = {job.gpus for job in instance.jobs}
    assert sizes == {1} | {c // 2 + 1 for c in capacities} | {c + 1 for c in capacities}


# --- optima that are known


def in_given_order(cluster):
    """The greedy rule: the next job in the list on any idle GPUs."""
    job = cluster.waiting[0]
    idle = [gpu for gpu, free in enumerate(cluster.idle) if free]
    need = cluster.instance.jobs[job].gpus
    return (job, idle[:need]) if len(idle) >= need else None


@pytest.mark.parametrize("m", [2, 3, 4, 7])
def test_graham(m):
    instance = find_family("graham").generate(0, {"gpus": m})
    assert instance.timing.shortest == (1,) * (m * (m - 1)) + (m,)
    assert instance.known.optimum == simple_bound(instance) == m
    greedy = dispatch(instance, range(len(instance.jobs)), in_given_order)
    assert greedy.makespan == 2 * m - 1


@pytest.mark.parametrize(("gpus", "slots"), [(2, 2), (4, 6), (8, 10), (16, 100)])
def test_sjf_trap(gpus, slots):
    instance = find_family("sjf-trap").generate(0, {"gpus": gpus, "slots": slots})
    assert sum(instance.timing.shortest[:-1]) == gpus // 2 * slots
    assert (instance.jobs[-1].gpus, instance.timing.shortest[-1]) == (gpus // 2, slots)
    assert instance.known.optimum == simple_bound(instance) == slots
    greedy = dispatch(instance, range(len(instance.jobs)), in_given_order)
    assert greedy.makespan == 3 * slots // 2


def planted(seed, **settings):
    return find_family("planted").generate(seed, {"reveal": True, **settings})


def assert_planted(instance):
    """The schedule is right, meets the bound, and nobody shares a link."""
    verdict = check(instance.document(), instance.known.schedule)
    assert verdict.violations == ()
    assert verdict.makespan == instance.known.optimum == gpu_slots(instance)
    capacity = max(server.gpus for server in instance.servers)
    timing, entries = instance.timing, instance.known.schedule["jobs"]
    area = 0
    for j, job in enumerate(instance.jobs):
        used, start = len(entries[job.id]["gpus"]), entries[job.id]["start"]
        assert used == timing.fewest_servers[j] == -(-job.gpus // capacity)
        assert verdict.completion[job.id] == start + timing.shortest[j]
        assert job.iterations % timing.shortest[j] == 0
        area += job.gpus * timing.shortest[j]
    assert area == instance.known.optimum * instance.total_gpus


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [{}, {"servers": 10, "gpus_per_server": 8, "makespan": 30}])
def test_planted_at_200_jobs(seed, size):
    instance = planted(seed, jobs=200, **size)
    assert len(instance.jobs) == 200
    assert_planted(instance)
    capacity = instance.servers[0].gpus
    assert sum(job.gpus > capacity for job in instance.jobs) >= 10


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 6), st.integers(1, 6), st.data())
def test_planted_at_any_size(seed, jobs, servers, gpus, data):
    least = -(-jobs // (servers * gpus))
    makespan = data.draw(st.integers(least, least + 20))
    size = {"jobs": jobs, "servers": servers, "gpus_per_server": gpus, "makespan": makespan}
    instance = planted(seed, **size)
    assert (len(instance.jobs), instance.known.optimum) == (jobs, makespan)
    assert_planted(instance)


def test_planted_keeps_its_secret_and_its_fingerprint():
    secret, revealed = planted(3, reveal=False), planted(3)
    assert secret.known.schedule is None
    assert secret.fingerprint == revealed.fingerprint == revealed.known.schedule["fingerprint"]
    assert "schedule" not in secret.document()["known"]


def test_planted_refuses_more_jobs_than_gpu_slots():
    with pytest.raises(InputError, match=r"jobs = 13: .* room for 12"):
        planted(0, jobs=13, servers=2, gpus_per_server=2, makespan=3)


def test_planted_schedule_is_written_and_passes_check(tmp_path, capsys):
    instance, schedule = str(tmp_path / "i.json"), str(tmp_path / "s.json")
    words = ["generate", "planted", "--set", "jobs=200", "--set", "reveal=true", "-o", instance]
    assert main([*words, "--schedule", schedule]) == 0
    assert main(["check", instance, schedule, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["feasible"] is True


# --- the paper's experiments


def test_paper_ranges_hold_exactly_over_many_seeds():
    for seed in range(40):
        instance = find_family("paper").generate(seed, {})
        timing = instance.timing
        for j, job in enumerate(instance.jobs):
            servers = timing.fewest_servers[j]
            assert exact(0.01) <= timing.tau(j, servers, int(servers > 1)) <= exact(0.05)
            assert 50 <= timing.shortest[j] <= 300
            assert 1_000 <= job.iterations <= 6_000
        sizes = [job.gpus for job in instance.jobs]
        assert [sizes.count(g) for g in (1, 2, 4, 8, 16, 32)] == [80, 14, 26, 30, 8, 2]
        assert len(instance.servers) == 20
        assert {server.gpus for server in instance.servers} <= {4, 8, 16, 32}
        assert instance.horizon == 1_200
        assert 0.5 < instance.network.xi1 <= 1


@pytest.mark.parametrize(
    ("scale", "jobs", "servers"), [(0.01, 1, 1), (0.05, 8, 1), (0.25, 42, 5), (2, 320, 40)]
)
def test_paper_scale_multiplies_jobs_and_servers(scale, jobs, servers):
    for seed in range(5):
        instance = find_family("paper").generate(seed, {"scale": scale})
        assert (len(instance.jobs), len(instance.servers)) == (jobs, servers)
        assert 50 <= min(instance.timing.shortest) <= max(instance.timing.shortest) <= 300


def test_paper_varies_servers_and_horizon():
    instance = find_family("paper").generate(0, {"servers": 10, "horizon": 1500})
    assert (len(instance.jobs), len(instance.servers), instance.horizon) == (160, 10, 1500)


@pytest.mark.parametrize("length", [7, 25, 100])
def test_paper_in_longer_slots_keeps_relative_durations(length):
    fine, coarse = (
        find_family("paper").generate(4, {"scale": 0.2, "slot_length": k}) for k in (1, length)
    )
    assert coarse.horizon == -(-1200 // length)
    assert [j.gpus for j in coarse.jobs] == [j.gpus for j in fine.jobs]
    pairs = zip(fine.timing.shortest, coarse.timing.shortest, strict=True)
    # phi is a floor: up to one iteration of at least 20 is lost per short slot, less in a long one
    assert all(0.95 * slots / length <= longer < slots / length + 1 for slots, longer in pairs)


# --- a family is one file


def test_a_new_family_is_one_new_file(tmp_path):
    """It appears in list, generate, the contract test and a suite without any other edit."""
    example = ROOT / "docs" / "examples" / "stragglers.py"
    assert len(example.read_text().splitlines()) <= 30
    assert f"```python\n{example.read_text()}```" in (ROOT / "README.md").read_text()
    for folder in ("instances", "formulations", "solvers", "benchmarks"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for file in ("tests/test_families.py", "pyproject.toml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / file, tmp_path / file)
    shutil.copy(example, tmp_path / "instances" / "families")
    suite = (
        'summary = "new"\n[limits]\ntime = 20\n[[instances]]\nfamily = "stragglers"\n'
        'seeds = [0, 1]\nset = { jobs = 5 }\n[[methods]]\nheuristic = "longest-first"\n'
    )
    (tmp_path / "new.toml").write_text(suite)

    def python(*words):
        return subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
        )

    listed = json.loads(python("benchmarks", "list", "families", "--json").stdout)["families"]
    assert "stragglers" in [family["name"] for family in listed]
    generated = json.loads(python("benchmarks", "generate", "stragglers", "--seed", "3").stdout)
    assert (generated["family"], len(generated["jobs"])) == ("stragglers", 10)
    contract = python("pytest", "tests/test_families.py", "-k", "[stragglers")
    assert contract.returncode == 0, contract.stdout
    ran = python("benchmarks", "run", "new.toml", "--out", "out", "--json")
    assert json.loads(ran.stdout)["status"] == {"feasible": 2}, ran.stderr


def test_the_documentation_names_every_family_and_parameter():
    page = (ROOT / "docs" / "instances.md").read_text()
    for name in family_names():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}` "))
        for parameter in find_family(name).parameters.__dataclass_fields__:
            assert parameter in row
