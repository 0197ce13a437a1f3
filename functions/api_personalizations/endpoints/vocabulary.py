"""Shared by the family's routes: callers, path parameters, responses."""

from typing import Annotated

from fastapi import Depends, Query

from abtest.contract.personalizations import Personalization, PersonalizationExperience
from abtest.domain.changes.consent import Consent
from abtest.domain.personalizations.model import Experience
from abtest.domain.personalizations.model import Personalization as Aggregate
from abtest.http.deps import Caller, PathId, require
from abtest.services.aggregates import Saved

Reader = Annotated[Caller, require("personalizations:read")]
Writer = Annotated[Caller, require("personalizations:write")]
Activator = Annotated[Caller, require("personalizations:activate")]
Previewer = Annotated[Caller, require("previews:write")]

PersonalizationId = PathId


# `async`, because FastAPI runs other dependencies in a thread, which costs more than the function.
async def confirmation(
    confirm_live_impact: Annotated[bool, Query(description="Required while the personalization is active.")] = False,
) -> Consent:
    """The acknowledgement of a request without room for it in its body."""
    return Consent(confirmed=confirm_live_impact)


Confirmation = Annotated[Consent, Depends(confirmation)]


def personalization(saved: Saved[Aggregate]) -> Personalization:
    """Response of a write."""
    return Personalization.of(saved.value, saved.warning)


def experience(written: tuple[Saved[Aggregate], Experience]) -> PersonalizationExperience:
    """Response of a write to an experience."""
    saved, made = written
    return PersonalizationExperience.of(made, saved.warning).at(saved.value.version)
