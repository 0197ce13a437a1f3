"""Endpoint: the address to which a shop's events are sent, its subscriptions, and its signing secrets. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from abtest.kit.clock import Timestamp, later
from abtest.kit.documents import Document, decode, encode

MAX_WEBHOOKS = 20
"""Endpoints of a shop that are not archived."""

MAX_GRACE = timedelta(days=7)
DEFAULT_GRACE = timedelta(days=1)
"""Time for which the previous secret signs as well."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret that only the key service can open."""

    text: str


@dataclass(frozen=True, slots=True)
class PreviousSecret:
    """Previous secret, and the end of the time in which it signs as well."""

    sealed: Sealed
    valid_until: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """One endpoint of a shop. `active` is the shop's own choice; `Health` records whether failures disabled it."""

    id: str
    shop_id: str
    url: str
    events: tuple[str, ...]
    secret: Sealed
    slot: int
    """Number of the shop's slot that it holds, from 0."""
    created_at: Timestamp
    updated_at: Timestamp
    active: bool = True
    previous: PreviousSecret | None = None
    archived_at: Timestamp | None = None
    archived_by: str | None = None
    version: int = 1

    def wants(self, event: str) -> bool:
        """Return whether it is subscribed to the event and not archived."""
        return self.archived_at is None and event in self.events

    def secrets_at(self, now: Timestamp) -> tuple[Sealed, ...]:
        """Return the secrets that sign at a moment, the newest first."""
        if self.previous is None or now >= self.previous.valid_until:
            return (self.secret,)
        return (self.secret, self.previous.sealed)


def document_of(webhook: Webhook) -> Document:
    """Return the stored form of an endpoint; its version is that of the record."""
    return encode(webhook, omit=("version",))


def webhook_from(document: Mapping[str, object], version: int) -> Webhook:
    """Return the endpoint of a stored form."""
    return decode(Webhook, document, version=version)


def edited(
    webhook: Webhook,
    now: Timestamp,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    active: bool | None = None,
) -> Webhook:
    """Return the endpoint with other settings; None keeps one. The same object when nothing differs."""
    after = replace(
        webhook,
        url=webhook.url if url is None else url,
        events=webhook.events if events is None else tuple(events),
        active=webhook.active if active is None else active,
    )
    return webhook if after == webhook else _changed(after, now)


def rotated(webhook: Webhook, secret: Sealed, grace: timedelta, now: Timestamp) -> Webhook:
    """Return the endpoint with a new secret; the previous one signs as well until the grace is over."""
    previous = PreviousSecret(webhook.secret, later(now, grace)) if grace else None
    return _changed(replace(webhook, secret=secret, previous=previous), now)


def archived(webhook: Webhook, user_id: str, now: Timestamp) -> Webhook:
    """Return the endpoint, taken out of use for good."""
    return _changed(replace(webhook, active=False, archived_at=now, archived_by=user_id), now)


def _changed(webhook: Webhook, now: Timestamp) -> Webhook:
    return replace(webhook, updated_at=now, version=webhook.version + 1)
