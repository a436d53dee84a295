"""The store: nothing is lost, nothing is mixed, and others can read it."""

import copy

import duckdb
import pandas as pd
import pytest

from benchmarks.store import MixedRows, Store, differing, read_rows, row_key
from instances.errors import InputError

MANIFEST = {"identity": {"suite": {"name": "s"}, "limits": {"time": 5.0}, "code": "abc"}}


def row(index, **more):
    return {
        "instance": f"i{index}",
        "fingerprint": f"f{index}",
        "method": {"kind": "heuristic", "name": "h", "version": "1"},
        "options": {"lambda": 1.0, "kappa": "all"},
        "seed": 0,
        "status": "feasible",
        "makespan": 10 + index,
        "bound": None,
        "schedule": {"jobs": {f"j{index}": {"start": 0, "gpus": {"s0": 1}}}},
        **more,
    }


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "campaign"


def filled(folder, count=3):
    with Store(folder, MANIFEST) as store:
        for index in range(count):
            store.append(row(index), log=f"log {index}")
    return folder / "rows.jsonl"


def test_rows_come_back_with_their_logs(folder):
    filled(folder)
    rows = read_rows(folder)
    assert [found["makespan"] for found in rows] == [10, 11, 12]
    assert [(folder / found["log"]).read_text() for found in rows] == ["log 0", "log 1", "log 2"]


def test_a_retry_appends_and_readers_take_the_last(folder):
    filled(folder)
    with Store(folder, MANIFEST) as store:
        store.append(row(1, makespan=99))
    assert (folder / "rows.jsonl").read_text().count("\n") == 4
    assert [found["makespan"] for found in read_rows(folder)] == [10, 99, 12]


def test_the_key_is_fingerprint_method_options_and_seed():
    keys = {
        row_key(row(0)),
        row_key(row(0, fingerprint="other")),
        row_key(row(0, method={"kind": "heuristic", "name": "other"})),
        row_key(row(0, options={"lambda": 2.0, "kappa": "all"})),
        row_key(row(0, seed=1)),
    }
    assert len(keys) == 5
    assert row_key(row(0)) == row_key(row(0, makespan=1, options={"kappa": "all", "lambda": 1.0}))


def test_every_way_to_tear_the_last_line_loses_that_line_alone(folder):
    rows = filled(folder)
    whole = rows.read_bytes()
    start = whole.rstrip(b"\n").rindex(b"\n") + 1
    for cut in range(start, len(whole), 7):
        rows.write_bytes(whole[:cut])
        assert len(read_rows(folder)) == 2, cut
        with Store(folder, MANIFEST) as store:
            assert len(store.rows) == 2
            store.append(row(2))
        assert rows.read_bytes().count(b"\n") == 3
        assert [found["makespan"] for found in read_rows(folder)] == [10, 11, 12]


def test_a_line_that_lacks_only_its_end_is_kept(folder):
    rows = filled(folder)
    rows.write_bytes(rows.read_bytes()[:-1])
    with Store(folder, MANIFEST) as store:
        assert len(store.rows) == 3
    assert rows.read_bytes().endswith(b"\n")


def test_a_broken_line_in_the_middle_is_named(folder):
    rows = filled(folder)
    lines = rows.read_text().splitlines()
    rows.write_text("\n".join([lines[0], lines[1][:50], lines[2]]) + "\n")
    with pytest.raises(InputError, match=r"rows\.jsonl: line 2 "):
        read_rows(folder)


def test_a_second_writer_is_refused_and_the_first_is_not_harmed(folder):
    with Store(folder, MANIFEST) as first:
        with pytest.raises(InputError, match="another campaign is writing here"):
            Store(folder, MANIFEST)
        first.append(row(0))
    with Store(folder, MANIFEST) as again:
        assert len(again.rows) == 1


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("limits", "time"), 6.0, "limits.time = 5.0, not 6.0"),
        (("suite", "name"), "t", 'suite.name = "s", not "t"'),
        (("code",), "abd", 'code = "abc", not "abd"'),
        (("versions",), {"highspy": "2"}, "versions = null, not"),
    ],
)
def test_other_limits_suites_code_and_versions_never_mix(folder, path, value, said):
    rows = filled(folder)
    before = rows.read_bytes()
    other = copy.deepcopy(MANIFEST)
    place = other["identity"]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(MixedRows) as caught:
        Store(folder, other)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert rows.read_bytes() == before
    assert differing(MANIFEST, MANIFEST) == ""


def test_a_folder_without_rows_is_no_campaign(tmp_path):
    with pytest.raises(InputError, match="holds no rows"):
        read_rows(tmp_path)


def test_pandas_and_duckdb_read_the_rows(folder):
    rows = filled(folder)
    frame = pd.read_json(rows, lines=True)
    assert frame["makespan"].tolist() == [10, 11, 12]
    query = f"select method.name, makespan from '{rows}' where seed = 0 order by makespan desc"
    assert duckdb.sql(query).fetchall()[0] == ("h", 12)


def test_nan_never_enters(folder):
    with Store(folder, MANIFEST) as store, pytest.raises(ValueError, match="JSON"):
        store.append(row(0, wall_seconds=float("nan")))
    assert not (folder / "rows.jsonl").read_text()
