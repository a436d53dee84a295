"""Instances: validation, files, fingerprint."""

import copy
import json

import pytest

from instances.errors import InputError
from instances.families import find_family
from instances.instance import Instance


@pytest.fixture
def document():
    return find_family("tiny").generate(3, {}).document()


def test_round_trip_keeps_content_and_fingerprint(document):
    instance = Instance.from_document(json.loads(json.dumps(document)), "x.json")
    assert instance.document() == document
    assert instance.fingerprint == find_family("tiny").generate(3, {}).fingerprint


def test_fingerprint_ignores_name_and_family_but_not_content(document):
    other = copy.deepcopy(document) | {"name": "other", "family": "other", "seed": 9}
    changed = copy.deepcopy(document)
    changed["jobs"][0]["iterations"] += 1
    prints = [Instance.from_document(d, "x").fingerprint for d in (document, other, changed)]
    assert prints[0] == prints[1] != prints[2]


@pytest.mark.parametrize(
    ("table", "field", "value", "said"),
    [
        ("jobs", "gpus", 0, "jobs[1].gpus = 0: "),
        ("jobs", "gpus", 4.5, "jobs[1].gpus = 4.5: "),
        ("jobs", "gpus", True, "jobs[1].gpus = True: "),
        ("jobs", "gpus", 40, "the cluster has only"),
        ("jobs", "backward_time", 5, "phi = 0"),
        ("jobs", "backward_time", float("nan"), "jobs[1].backward_time = nan: "),
        ("jobs", "typo", 1, "jobs[1].typo = 1: "),
        ("jobs", "id", "j0", "jobs[1].id = 'j0': is used twice"),
    ],
)
def test_bad_field_is_one_line_with_file_field_and_value(document, table, field, value, said):
    document[table][1][field] = value
    with pytest.raises(InputError) as caught:
        Instance.from_document(document, "x.json")
    assert str(caught.value).startswith("x.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
