"""Every level in a request is between 0.001 and 0.2."""

from collections.abc import Iterator
from importlib import import_module
from math import inf, nan
from pkgutil import iter_modules
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

import abtest.contract
from abtest.contract.base import Input


def models(model: type[Input]) -> Iterator[type[Input]]:
    for each in model.__subclasses__():
        yield each
        yield from models(each)


def levels() -> dict[str, TypeAdapter[Any]]:
    """Field by model and name, with the limits that it has in the model."""
    for module in iter_modules(abtest.contract.__path__, "abtest.contract."):
        import_module(module.name)
    return {
        f"{model.__name__}.{name}": TypeAdapter(field.rebuild_annotation(), config={"strict": True})
        for model in models(Input)
        for name, field in model.model_fields.items()
        if "alpha" in name.casefold() or "significance" in name.casefold()
    }


LEVELS = levels()


def test_requests__with_a_level__are_the_plans_and_the_defaults() -> None:
    assert LEVELS.keys() == {
        "FixedHorizonStop.alpha",
        "PlanInput.alpha",
        "SampleSizeInput.alpha",
        "UpdateShopDefaults.alpha",
    }


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("alpha", [0, 0.0009999, 0.2000001, 0.5, 1, 5, -0.05, nan, inf, "0.05", True, None])
def test_requests__a_level_outside_of_the_limits__is_refused(name: str, alpha: Any) -> None:
    with pytest.raises(ValidationError):
        LEVELS[name].validate_python(alpha)


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.2])
def test_requests__a_level_within_the_limits__is_taken(name: str, alpha: float) -> None:
    assert LEVELS[name].validate_python(alpha) == alpha
