"""The rule of live edits: what shoppers would notice of something active must be acknowledged."""

from typing import Protocol

from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import LiveConsumer, LiveImpactError
from abtest.domain.rollouts.lifecycle import Status, Subject


class Named(Protocol):
    """A flag or a personalization."""

    @property
    def id(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def status(self) -> Status: ...


def require_confirmed(before: Named, consent: Consent, subject: Subject, *, noticed: bool) -> None:
    """Raise LiveImpactError for an edit of something active that shoppers would notice, unless it was acknowledged."""
    if noticed and before.status == "active" and not consent.covers(before):
        raise LiveImpactError([LiveConsumer(before.id, before.name, subject)])
