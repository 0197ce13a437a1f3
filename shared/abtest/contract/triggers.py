"""Triggers: what must happen on a page view before a page rule applies."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, Input
from abtest.contract.misplaced import misplaced
from abtest.contract.names import Label

_NEEDS = {"element": "selector", "event": "eventName", "delay": "ms"}
"""Fields that a kind of trigger requires; the other kinds have none."""


class Trigger(Input):
    """`immediate` (the default), `dom_ready`, `element`, `event` or `delay`."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"type": {"enum": ["immediate", "dom_ready"]}}},
                {"properties": {"type": {"const": "element"}}, "required": ["selector"]},
                {"properties": {"type": {"const": "event"}}, "required": ["eventName"]},
                {"properties": {"type": {"const": "delay"}}, "required": ["ms"]},
            ]
        }
    )

    type: Literal["immediate", "dom_ready", "element", "event", "delay"] = "immediate"
    selector: Annotated[str, Field(min_length=1, max_length=500)] = ABSENT
    eventName: Label = ABSENT
    ms: Annotated[int, Field(ge=0, le=60_000)] = ABSENT

    @model_validator(mode="after")
    def _has_fields_of_its_type(self) -> Self:
        needed = {_NEEDS[self.type]} if self.type in _NEEDS else set()
        given = self.model_fields_set - {"type"}
        if missing := needed - given:
            raise misplaced([(name, f"is required for {self.type}") for name in missing])
        if idle := given - needed:
            raise PydanticCustomError(
                "idle", "{names} is not allowed with this type", {"names": ", ".join(sorted(idle))}
            )
        return self
