"""Reusable audiences on the wire."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict

from abtest.contract.audience_rules import AudienceRules
from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, Output, PublicationWarning
from abtest.contract.consent import LiveEdit
from abtest.contract.names import Name
from abtest.domain.reusable.model import Target
from abtest.kit.json_objects import present

_PHONES: dict[str, Any] = {
    "operator": "and",
    "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}],
}


class AudienceCreate(Input):
    """A new audience."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Phones", "rules": _PHONES}]})

    name: Name
    rules: AudienceRules


class AudienceUpdate(LiveEdit):
    """Changes to an audience. `rules` replaces the whole tree; absent fields keep their value."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"rules": _PHONES}]})

    name: Name = ABSENT
    rules: AudienceRules = ABSENT


class Audience(Output):
    """A reusable audience. Targeting refers to it by `audienceId`."""

    id: Id
    name: str
    rules: Annotated[Any, AsStored(AudienceRules)]
    created_at: DateTime
    updated_at: DateTime
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, audience: Target, warning: PublicationWarning | None = None) -> Self:
        """Return the response of an audience."""
        return cls(
            id=audience.id,
            name=audience.name,
            rules=audience.fields["rules"],
            created_at=audience.created_at,
            updated_at=audience.updated_at,
            **present(publication_warning=warning),
        ).at(audience.version)
