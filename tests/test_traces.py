"""Trace import: formats, columns, skipped rows."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from instances.errors import InputError
from instances.instance import Instance
from instances.traces.formats import find_format, format_names
from instances.traces.importing import Request, import_trace

DATA = Path(__file__).resolve().parent / "data"

HEADER = "id,submit,duration,gpus\n"


@pytest.fixture
def load(tmp_path):
    """Import text as a trace."""

    def load(text, style="csv", jobs=None, mapping=None, unit=None, **settings):
        path = tmp_path / "trace"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return import_trace(Request(str(path), style, mapping or {}, jobs, settings, unit))

    return load


def refused(load, *words, **settings):
    """The one line with which a trace is refused."""
    with pytest.raises(InputError) as caught:
        load(*words, **settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- what a job becomes


def test_a_trace_becomes_an_instance_with_its_durations_rounded_up(load):
    instance = load(HEADER + "a,0,600,1\nb,1,601,4\nc,2,59.5,12\nd,3,3600,8\n")
    assert [job.id for job in instance.jobs] == ["a", "b", "c", "d"]
    assert [job.gpus for job in instance.jobs] == [1, 4, 12, 8]
    assert instance.timing.shortest == (10, 11, 1, 60)
    assert instance.slot_seconds == 60
    assert instance.horizon == 1 + 82
    assert instance.family == "trace-csv"


@given(
    st.lists(
        st.tuples(st.integers(1, 64), st.decimals("0.01", "4000000", places=2)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([1, 60, 7.5, 3600]),
)
def test_uncontended_duration_is_the_traces_rounded_up(tmp_path_factory, rows, slot):
    path = tmp_path_factory.mktemp("trace") / "t.csv"
    path.write_text("gpus,duration\n" + "".join(f"{g},{d}\n" for g, d in rows))
    instance = import_trace(Request(str(path), "csv", {}, None, {"slot_seconds": slot}))
    hundredths = round(slot * 100)
    expected = [-(-round(d * 100) // hundredths) for _, d in rows]
    assert list(instance.timing.shortest) == expected


def test_default_cluster_holds_the_widest_job_and_half_of_all_gpus(load):
    def servers(*gpus, **settings):
        text = "gpus,duration\n" + "".join(f"{g},60\n" for g in gpus)
        return [server.gpus for server in load(text, **settings).servers]

    assert servers(1) == [8]
    assert servers(17) == [8, 8, 8]
    assert servers(*[1] * 34) == [8, 8, 8]
    assert servers(*[1] * 34, gpus_per_server=4) == [4] * 5
    assert servers(1, servers=3, gpus_per_server=2) == [2, 2, 2]


@pytest.mark.parametrize(("unit", "slots"), [(None, 1), ("s", 1), ("min", 30), ("h", 1800)])
def test_time_unit_of_durations(load, unit, slots):
    assert load("gpus,duration\n1,30\n", unit=unit).timing.shortest == (slots,)


def test_stated_horizon_and_slot(load):
    instance = load("gpus,duration\n1,3600\n", horizon=77, slot_seconds=900)
    assert (instance.horizon, instance.timing.shortest) == (77, (4,))


def test_named_models_are_taken_from_the_table_and_others_drawn(load):
    text = "gpus,duration,model\n1,60,VGG16\n1,60,Inception-v3\n1,60,gpt2\n1,60,\n"
    instance = load(text)
    assert [job.model for job in instance.jobs[:2]] == ["vgg16", "inception3"]
    assert instance.parameters["models_drawn"] == 2
    assert load(text).document() == instance.document()


def test_seed_draws_the_models_and_a_longer_window_keeps_its_prefix(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("gpus,duration\n" + "2,600\n" * 40)

    def models(jobs, seed):
        instance = import_trace(Request(str(path), "csv", {}, jobs, {}, None, seed))
        return [job.model for job in instance.jobs]

    assert models(40, 0)[:12] == models(12, 0)
    assert models(40, 0) != models(40, 1)


# --- which jobs, in which order


def test_window_is_the_first_jobs_by_submit_time(load):
    text = HEADER + "c,30,60,1\na,10,60,1\nx,0,60,0\nb,20,60,1\n"
    assert [job.id for job in load(text, jobs=2).jobs] == ["a", "b"]
    assert [job.id for job in load(text, jobs=2, skip=1).jobs] == ["b", "c"]
    assert [job.id for job in load(text, jobs=9).jobs] == ["a", "b", "c"]
    assert "skip = 3: must be less than the 3 accepted jobs" in refused(load, text, skip=3)


def test_dates_sort_as_times(load):
    text = HEADER + "b,2017-10-09 07:01:55,60,1\nc,2017-10-10,60,1\na,2017-09-30T00:00:00Z,60,1\n"
    assert [job.id for job in load(text).jobs] == ["a", "b", "c"]


def test_without_submit_time_the_order_of_the_file_holds(load):
    instance = load("duration,gpus\n60,3\n60,1\n60,2\n", jobs=2)
    assert [job.gpus for job in instance.jobs] == [3, 1]
    assert [job.id for job in instance.jobs] == ["j0", "j1"]


def test_every_skipped_row_is_counted_under_its_reason(load):
    rows = [
        "ok,0,60,1", "a,0,,1", "b,0,nan,1", "c,0,-5,1", "d,0,0,1", "e,0,soon,1", "f,0,inf,1",
        "g,0,1e300,1", "h,0,60,0", "i,0,60,-2", "j,0,60,2.5", "k,0,60,", "l,0,60,four",
        "m,0,60,1e12", "n,0,60,1e400", "ok,0,60,1", ",0,60,1", "o,0,60", "p,0,60,1,1",
        "q,late,60,1", "r,,60,1", "s,inf,60,1", "fine,1,60,4.0",
    ]  # fmt: skip
    instance = load(HEADER + "\n".join(rows) + "\n")
    assert [(job.id, job.gpus) for job in instance.jobs] == [("ok", 1), ("fine", 4)]
    assert instance.parameters["skipped"] == {
        "duration missing": 2,
        "duration is not positive": 2,
        "duration is not a number": 1,
        "duration over ten years": 2,
        "no GPUs": 2,
        "gpus is not a whole number": 1,
        "gpus missing": 1,
        "gpus is not a number": 1,
        "more than 10000 GPUs": 2,
        "id used before": 1,
        "id missing": 1,
        "wrong number of fields": 2,
        "submit is not a time": 2,
        "submit missing": 1,
    }
    assert (instance.parameters["rows"], instance.parameters["accepted"]) == (len(rows), 2)


def test_jobs_wider_than_a_stated_cluster_are_skipped_before_the_window(load):
    instance = load("gpus,duration\n9,60\n8,60\n1,60\n", jobs=2, servers=2, gpus_per_server=4)
    assert [job.gpus for job in instance.jobs] == [8, 1]
    assert instance.parameters["skipped"] == {"more GPUs than the cluster has": 1}


@given(
    st.sampled_from(["csv", "itp", "philly", "gavel"]),
    st.sampled_from(["", '"a\nb",', "gpus,duration\n1,60\n", "[", '[{"attempts": [']),
    st.text(max_size=300),
)
def test_any_text_is_an_instance_or_one_clear_line(tmp_path_factory, style, start, text):
    path = tmp_path_factory.mktemp("trace") / "t.csv"
    path.write_bytes((start + text).encode("utf-8", "surrogatepass"))
    rates = path.with_name("rates.csv")
    rates.write_text("job_type,steps_per_second\nA3C,1\n")
    settings = {"rates": str(rates)} if style == "gavel" else {}
    try:
        instance = import_trace(Request(str(path), style, {}, None, settings))
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert Instance.from_document(json.loads(json.dumps(instance.document())), "file")


# --- how the file is written


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_delimiters_newlines_byte_order_mark_and_blank_lines(load, delimiter, newline, mark):
    lines = ["", "gpus,duration", "", "2,60", "   ", '"3","120"', ""]
    text = newline.join(lines).replace(",", delimiter)
    instance = load(mark + text.encode())
    assert [job.gpus for job in instance.jobs] == [2, 3]
    assert instance.parameters["skipped"] == {}


def test_quoted_delimiters_belong_to_their_cell(load):
    instance = load('name,gpus,duration\n"train, please",2,60\n"a ""b""",1,60\n')
    assert [job.gpus for job in instance.jobs] == [2, 1]


def test_columns_are_mapped_by_name_or_by_number(load):
    mapping = {"gpus": "n gpu", "duration": "secs"}
    assert load("secs,x, n gpu \n60,0,3\n", mapping=mapping).jobs[0].gpus == 3
    numbers = {"gpus": "3", "duration": "1"}
    instance = load("60,0,3\n120,0,4\n", mapping=numbers, header=False)
    assert [job.gpus for job in instance.jobs] == [3, 4]


@pytest.mark.parametrize(
    ("text", "settings", "said"),
    [
        ("", {}, "is empty"),
        ("\n \n", {}, "is empty"),
        (b"\xef\xbb\xbf", {}, "is empty"),
        (b"\xff\xfeg\x00", {}, "is not UTF-8 text (byte 0)"),
        ("gpus,duration\n", {}, "no job accepted of 0 rows"),
        ("gpus,duration\n0,60\n0,1\n1,-1\n", {}, "3 rows (2 no GPUs, 1 duration is not positive)"),
        ("gpus,time\n1,60\n", {}, "has no column 'duration' for duration"),
        ("num,duration\n", {"mapping": {"gpus": "nun"}}, "did you mean 'num'?"),
        ("gpus,duration\n1,2\n", {"mapping": {"submit": "when"}}, "has no column 'when'"),
        ("gpus,duration\n1,2\n", {"mapping": {"gpu": "gpus"}}, "unknown field 'gpu'"),
        ("gpus,duration,gpus\n1,2,3\n", {}, "has 2 columns 'gpus'"),
        ('gpus,duration\n1,"60\n2,60\n', {}, "mend the quotes"),
        ("gpus,duration\n1,2\n", {"jobs": 0}, "--jobs 0: must be at least 1"),
        ("gpus,duration\n1,2\n", {"slot_seconds": 0.01}, "use longer slots"),
        ("gpus,duration\n1,2\n", {"slot_seconds": "nan"}, "slot_seconds = "),
        ("gpus,duration\n1,2\n", {"servers": 0}, "servers = 0"),
        ("gpus,duration\n1,2\n", {"rates": "x"}, "unknown option 'rates'"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(load, text, settings, said):
    assert said in refused(load, text, **settings)


def test_missing_file_and_folder_are_one_clear_line(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match=r"cannot be read"):
            import_trace(Request(str(path), "csv", {}, None, {}))


# --- Philly's JSON log


def test_philly_log_skips_every_fault_of_pitfall_19(load):
    instance = load((DATA / "philly_job_log.json").read_text(), "philly", gpus_per_server=4)
    days = 86_400 // 60
    assert [(job.id, job.gpus) for job in instance.jobs] == [
        ("early", 4), ("gaps", 2), ("two-servers", 6), ("restarted-before-it-ran", 1),
        ("53-days", 1),
    ]  # fmt: skip
    assert instance.timing.shortest == (90, 30, 1, 2, 53 * days)
    assert instance.parameters["skipped"] == {
        "attempts cannot be read": 2,
        "duration is not positive": 1,
        "ends before it starts": 1,
        "id missing": 1,
        "id used before": 1,
        "no GPUs": 2,
        "no attempt that ran": 3,
        "not a job": 1,
        "start or end time missing": 4,
        "submit missing": 1,
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{]", "line 1 column 3: is not JSON"),
        ('{"jobs": []}', "must be a list of jobs"),
        ("[]", "no job accepted of 0 rows"),
        ("[" * 100_000, "is no job log"),
    ],
)
def test_bad_philly_log_is_one_clear_line(load, text, said):
    assert said in refused(load, text, "philly")


def test_philly_log_is_in_seconds_whatever_is_said(load):
    text = (DATA / "philly_job_log.json").read_text()
    assert "--time-unit h: philly durations are in seconds" in refused(
        load, text, "philly", unit="h"
    )


def test_philly_csv(load):
    text = "timestamp,duration,num_gpus,gpu_time,cluster\n2017-10-03 15:23:12,120.0,8,960.0,7f\n\n"
    instance = load(text, "philly")
    assert (instance.jobs[0].gpus, instance.timing.shortest) == (8, (2,))


# --- Gavel


@pytest.fixture
def rates(tmp_path):
    path = tmp_path / "rates.csv"
    path.write_text("job_type,steps_per_second\nResNet-50 (batch size 64),2\nLM (batch size 5),4\n")
    return str(path)


GAVEL = {
    7: "{type}\tcd x && y -step\t-n\t1\t{steps}\t{arrival}\t{gpus}\n",
    9: "{type}\tcd x && y -step\t-n\t1\t{steps}\t{gpus}\t1\t-1.0\t{arrival}\n",
    10: "{type}\tpython y\tdir\t-n\t1\t{steps}\t{gpus}\t1\t-1.0\t{arrival}\n",
}


@pytest.mark.parametrize("fields", [7, 9, 10])
def test_gavel_durations_are_steps_by_rate(load, rates, fields):
    line = GAVEL[fields].format
    text = (
        line(type="LM (batch size 5)", steps=2400, arrival=9.5, gpus=4)
        + line(type="ResNet-50 (batch size 64)", steps=241, arrival=0.0, gpus=1)
        + line(type="A3C", steps=100, arrival=0.0, gpus=1)
        + line(type="LM (batch size 5)", steps="many", arrival=0.0, gpus=1)
        + "LM (batch size 5)\tshort\n"
    )
    instance = load(text, "gavel", rates=rates)
    assert instance.timing.shortest == (3, 10)
    assert [job.gpus for job in instance.jobs] == [1, 4]
    assert instance.jobs[0].model == "resnet50"
    assert instance.parameters["skipped"] == {
        "no rate for its job type": 1,
        "total_steps is not a number": 1,
        "wrong number of fields": 1,
    }


def test_gavel_needs_rates_and_its_own_layout(load, rates, tmp_path):
    text = GAVEL[7].format(type="LM (batch size 5)", steps=1, arrival=0, gpus=1)
    assert "add --set rates=FILE" in refused(load, text, "gavel")
    assert "not 7, 9, 10" in refused(load, "a\tb\n", "gavel", rates=rates)
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("job_type,steps\nA3C,1\n")
    assert "has no column 'steps_per_second'" in refused(load, text, "gavel", rates=str(wrong))
    wrong.write_text("job_type,steps_per_second\nA3C,0\n")
    assert "steps_per_second = '0' of 'A3C'" in refused(load, text, "gavel", rates=str(wrong))


# --- formats, and the command


@pytest.mark.parametrize("name", format_names())
def test_format_describes_itself(name):
    style = find_format(name)
    assert style.summary.endswith(".")
    assert {"gpus", "duration"} <= set(style.columns)
