"""Every registered family keeps the same promises."""

import json

import pytest

from instances.errors import InputError
from instances.families import family_names, find_family
from instances.instance import Instance

NOT_RANDOM = {"graham", "sjf-trap"}


@pytest.fixture(params=family_names())
def family(request):
    return find_family(request.param)


def test_family_describes_itself(family):
    assert family.summary.endswith(".")


@pytest.mark.parametrize("seed", range(4))
def test_defaults_make_a_valid_instance_that_survives_its_file(family, seed):
    instance = family.generate(seed, {})
    text = json.dumps(instance.document(), allow_nan=False)
    read = Instance.from_document(json.loads(text), "file")
    assert read.document() == instance.document()
    assert (instance.family, instance.seed) == (family.name, seed)
    assert json.loads(text)["parameters"].keys() == set(family.parameters.__dataclass_fields__)


def test_seed_decides_everything(family):
    prints = [family.generate(seed, {}).fingerprint for seed in (5, 5, 6)]
    assert prints[0] == prints[1]
    assert (prints[1] == prints[2]) == (family.name in NOT_RANDOM)


def test_unknown_parameter_and_bad_value_are_refused_in_one_line(family):
    first = next(iter(family.parameters.__dataclass_fields__))
    for settings in ({"no_such": "1"}, {first: "-1"}, {first: "many"}, {first: "nan"}):
        with pytest.raises(InputError) as caught:
            family.generate(0, settings)
        assert next(iter(settings)) in str(caught.value)
        assert "\n" not in str(caught.value)
