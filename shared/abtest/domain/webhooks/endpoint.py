"""An endpoint: where a shop wants its events, which of them, and the secrets that sign them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.documents import Document, decode, encode

MAX_WEBHOOKS = 20
"""Endpoints of a shop that are not archived."""

MAX_GRACE = timedelta(days=7)
DEFAULT_GRACE = timedelta(days=1)
"""How long what is sent is signed with the secret before, too."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret that only the key service can open."""

    text: str


@dataclass(frozen=True, slots=True)
class PreviousSecret:
    """The secret before, and until when it signs as well."""

    sealed: Sealed
    valid_until: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """One endpoint of a shop. `active` is what the shop wants; whether failures stopped it is in its `Health`."""

    id: str
    shop_id: str
    url: str
    events: tuple[str, ...]
    secret: Sealed
    slot: int
    """Which of the shop's places it holds, from 0."""
    created_at: Timestamp
    updated_at: Timestamp
    active: bool = True
    previous: PreviousSecret | None = None
    archived_at: Timestamp | None = None
    archived_by: str | None = None
    version: int = 1

    def wants(self, event: str) -> bool:
        """Whether it is subscribed to the event and not archived."""
        return self.archived_at is None and event in self.events

    def secrets_at(self, now: Timestamp) -> tuple[Sealed, ...]:
        """Those that sign at a moment, the newest first."""
        if self.previous is None or now >= self.previous.valid_until:
            return (self.secret,)
        return (self.secret, self.previous.sealed)


def document_of(webhook: Webhook) -> Document:
    """The endpoint as it is stored; its version is that of the record."""
    return encode(webhook, omit=("version",))


def webhook_from(document: Mapping[str, object], version: int) -> Webhook:
    """The stored endpoint."""
    return decode(Webhook, document, version=version)


def edited(
    webhook: Webhook,
    now: Timestamp,
    *,
    url: str | None = None,
    events: Sequence[str] | None = None,
    active: bool | None = None,
) -> Webhook:
    """With other settings; None leaves one as it is. The very same endpoint when nothing is different."""
    after = replace(
        webhook,
        url=webhook.url if url is None else url,
        events=webhook.events if events is None else tuple(events),
        active=webhook.active if active is None else active,
    )
    return webhook if after == webhook else _changed(after, now)


def rotated(webhook: Webhook, secret: Sealed, grace: timedelta, now: Timestamp) -> Webhook:
    """With a new secret; the one before signs on beside it for the time of grace."""
    previous = PreviousSecret(webhook.secret, timestamp(parse_timestamp(now) + grace)) if grace else None
    return _changed(replace(webhook, secret=secret, previous=previous), now)


def archived(webhook: Webhook, user_id: str, now: Timestamp) -> Webhook:
    """Taken out of use for good."""
    return _changed(replace(webhook, active=False, archived_at=now, archived_by=user_id), now)


def _changed(webhook: Webhook, now: Timestamp) -> Webhook:
    return replace(webhook, updated_at=now, version=webhook.version + 1)
