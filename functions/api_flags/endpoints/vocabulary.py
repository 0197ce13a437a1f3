"""Shared by the family's routes: callers, path parameters, responses."""

from typing import Annotated

from fastapi import Depends, Query

from abtest.contract.environments import EnvironmentKey
from abtest.contract.flags import FeatureFlag, FlagReference
from abtest.domain.flags.model import Flag
from abtest.http.deps import Caller, require
from abtest.services.aggregates import Saved
from abtest.services.flags.store import Reference

Reader = Annotated[Caller, require("flags:read")]
Writer = Annotated[Caller, require("flags:write")]
Activator = Annotated[Caller, require("flags:activate")]
Previewer = Annotated[Caller, require("previews:write")]

Environment = Annotated[EnvironmentKey, Query(description="Environment in which a key is looked up; ids need none.")]


# `async`, because FastAPI runs other dependencies in a thread, which costs more than the function.
async def reference(flag_id: FlagReference, environment_key: Environment = "production") -> Reference:
    """The flag that a path names, by its UUID or by its key in an environment."""
    return Reference(flag_id, environment_key)


Named = Annotated[Reference, Depends(reference)]


def flag(saved: Saved[Flag]) -> FeatureFlag:
    """Response of a write."""
    return FeatureFlag.of(saved.value, saved.warning)
