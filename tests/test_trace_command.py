"""`ringbench import`, from words to a file."""

import json
from pathlib import Path

import pytest

from benchmarks.cli import main
from instances.instance import Instance

DOCS = Path(__file__).resolve().parent.parent / "docs"


def test_command_writes_the_instance_and_counts_on_stderr(tmp_path, capsys):
    trace, output = tmp_path / "mine.tsv", tmp_path / "i.json"
    trace.write_text("n\thours\tat\n1\t0.5\t3\n0\t1\t2\n2\t2\t1\n")
    words = ["import", str(trace), "--format", "csv", "--jobs", "2", "--seed", "4"]
    words += ["--map", "gpus=n", "--map", "duration=hours", "--map", "submit=at"]
    words += ["--time-unit", "h", "--set", "slot_seconds=600", "-o", str(output)]
    assert main(words) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "mine.tsv: 3 rows, 2 accepted, 2 taken, on 1 servers" in told.err
    assert "skipped 1: no GPUs" in told.err
    instance = Instance.from_document(json.loads(output.read_text()), "file")
    assert instance.timing.shortest == (12, 3)
    assert instance.seed == 4
    assert main([*words[:-2]]) == 0
    assert json.loads(capsys.readouterr().out) == instance.document()


def test_the_example_of_the_documentation(capsys):
    trace = DOCS / "examples" / "cluster.tsv"
    words = ["import", str(trace), "--format", "csv", "--map", "id=job", "--time-unit", "min"]
    words += ["--map", "submit=submitted", "--map", "duration=minutes"]
    assert main([*words, "--set", "slot_seconds=1800"]) == 0
    told = capsys.readouterr()
    page = (DOCS / "instances.md").read_text()
    assert all(line.strip() in page for line in told.err.splitlines())
    instance = Instance.from_document(json.loads(told.out), "stdout")
    assert [job.id for job in instance.jobs][:3] == ["1040", "1041", "1042"]
    assert instance.timing.shortest == (3, 4, 1, 8, 5, 6, 2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--format", "cvs"], "did you mean 'csv'?"),
        (["--format", "csv", "--map", "gpus"], "'gpus' is not KEY=VALUE"),
        (["--format", "csv", "--seed", "-1"], "--seed -1"),
        (["--format", "csv", "--set", "slots=3"], "unknown option 'slots'"),
    ],
)
def test_command_refuses_bad_words_with_status_2(tmp_path, capsys, words, said):
    trace = tmp_path / "t.csv"
    trace.write_text("gpus,duration\n1,60\n")
    assert main(["import", str(trace), *words]) == 2
    assert said in capsys.readouterr().err
