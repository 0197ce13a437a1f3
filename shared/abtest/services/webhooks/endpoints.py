"""Endpoints of a shop: made, listed, changed, given a new secret, archived. The secret is in one answer only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from abtest.domain.changes.diff import Diff, by_hash, differences
from abtest.domain.egress import targets
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.webhooks import endpoint
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Sealed, Webhook
from abtest.domain.webhooks.envelope import SECRET_BYTES, secret_of
from abtest.domain.webhooks.health import Health, Standing
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ConflictError, DatabaseBusyError, FieldError, LimitReachedError
from abtest.ports.catalog import AuditRow, Catalog, Commit, Head, NameTakenError, Release, StaleVersionError
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.sealing import Sealer
from abtest.ports.url_check import UrlCheck
from abtest.services.context import Caller, World
from abtest.services.listing import ArchivedFilter, Listing, Sort, is_kept
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.records import (
    KIND,
    put_of,
    read_standing,
    slot_claim,
    slot_name,
    taken_slots,
    webhook_in,
)

Decision = Callable[[Webhook, Timestamp], Webhook]
_RACES = 10
"""Against workers that record what they sent; each of them moves the health once."""


@dataclass(frozen=True, slots=True)
class Issued:
    """An endpoint with its new secret, which is stored sealed only."""

    standing: Standing
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointFilters:
    """What a list is narrowed to; the newest first."""

    active: bool | None = None
    archived: ArchivedFilter = "false"
    sort: Sort = "-created_at"

    def admits(self, head: Head) -> bool:
        """Whether the head passes: one that is inactive cannot become active by its health."""
        return is_kept(self.archived, head) and not (self.active and head.status == "inactive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """Use cases of endpoints. `check` looks at an address before it is kept."""

    world: World
    store: DeliveryStore
    sealer: Sealer
    doorbell: Doorbell
    check: UrlCheck

    def page(
        self, shop_id: str, filters: EndpointFilters, *, limit: int, after: str | None
    ) -> tuple[list[Standing], str | None]:
        """Newest first, and the key that continues the list."""
        listing = Listing(
            self.world.catalog, KIND, lambda record: self._standing(webhook_in(record)), plural="webhooks"
        )
        return listing.page(
            shop_id,
            filters,
            limit=limit,
            after=after,
            admits_whole=lambda standing: filters.active in (None, standing.is_active),
        )

    def get(self, shop_id: str, webhook_id: str) -> Standing:
        """One of the shop's, archived ones included. Raises NotFoundError."""
        return read_standing(self.world.catalog, self.store, shop_id, webhook_id)

    def create(self, caller: Caller, *, url: str, events: list[str]) -> Issued:
        """A new endpoint with its secret. Raises UrlNotAllowedError, LimitReachedError, SealingUnavailableError."""
        url = self._address(url)
        webhook_id = self.world.new_id()
        secret, sealed = self._new_secret(caller.shop_id, webhook_id)
        for _ in range(MAX_WEBHOOKS + 1):
            now = self.world.now()
            webhook = Webhook(
                id=webhook_id,
                shop_id=caller.shop_id,
                url=url,
                events=tuple(events),
                secret=sealed,
                slot=self._free_slot(caller.shop_id),
                created_at=now,
                updated_at=now,
            )
            if self._claimed(caller, webhook):
                return Issued(Standing(webhook, Health()), secret)
        raise _full()

    def update(
        self, caller: Caller, webhook_id: str, stated: Mapping[str, Any], *, expected_version: int | None
    ) -> Standing:
        """Change settings; `active: true` also forgets failures.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, UrlNotAllowedError.
        """
        is_enabling = stated.get("active") is True

        def attempt() -> Webhook:
            before = self._read(caller.shop_id, webhook_id, expected_version)
            url = self._address(stated.get("url", before.webhook.url), before.webhook.url)
            after = endpoint.edited(before.webhook, self.world.now(), **{**stated, "url": url})
            self._save(caller, before, after, _enabling(before.health) if is_enabling else {})
            return after

        webhook = retried(attempt)
        return Standing(webhook, self._enabled(webhook_id)) if is_enabling else self._standing(webhook)

    def rotate(self, caller: Caller, webhook_id: str, grace: timedelta, *, expected_version: int | None) -> Issued:
        """A new secret; for the grace, what is sent is signed with the one before as well.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, SealingUnavailableError.
        """

        def attempt() -> Issued:
            before = self._read(caller.shop_id, webhook_id, expected_version)
            secret, sealed = self._new_secret(caller.shop_id, webhook_id)
            after = endpoint.rotated(before.webhook, sealed, grace, self.world.now())
            until = after.previous.valid_until if after.previous else None
            self._save(caller, before, after, {"secret": [None, "rotated"], "previous_valid_until": [None, until]})
            return Issued(Standing(after, before.health), secret)

        return retried(attempt)

    def archive(self, caller: Caller, webhook_id: str, *, expected_version: int | None) -> None:
        """Send nothing more to it, for good; what is queued dies. Doing it twice is harmless.

        Raises NotFoundError, VersionConflictError.
        """

        def attempt() -> None:
            before = self.get(caller.shop_id, webhook_id)
            refuse_other_version(expected_version, before.version)
            if before.webhook.archived_at is None:
                after = endpoint.archived(before.webhook, caller.user_id, self.world.now())
                self._save(caller, before, after, {})

        retried(attempt)
        self.doorbell.deliveries(caller.shop_id, webhook_id)

    def _read(self, shop_id: str, webhook_id: str, expected_version: int | None) -> Standing:
        return read_in_use(self.world.catalog, self.store, shop_id, webhook_id, expected_version)

    def _standing(self, webhook: Webhook) -> Standing:
        return Standing(webhook, self.store.health(webhook.id))

    def _address(self, url: str, known: str | None = None) -> str:
        """The address in the form in which requests go to it: what is checked is what is kept.

        The one that is known, however it is spelled, is not checked again: its name may lead nowhere today.
        """
        if url == known:
            return url
        try:
            sent = targets.read(url).url
            if sent != known:
                self.check(sent)
        except UrlNotAllowedError as error:
            raise UrlNotAllowedError(error.message, fields=[FieldError("url", error.message)]) from error
        return sent

    def _new_secret(self, shop_id: str, webhook_id: str) -> tuple[str, Sealed]:
        secret = secret_of(self.world.random.bits(8 * SECRET_BYTES).to_bytes(SECRET_BYTES, "big"))
        return secret, self.sealer.seal(secret, {"shop_id": shop_id, "webhook_id": webhook_id})

    def _free_slot(self, shop_id: str) -> int:
        """Any of the free places, so that those who come together seldom want the same one."""
        taken = taken_slots(self.world.catalog, shop_id)
        free = [slot for slot in range(MAX_WEBHOOKS) if slot not in taken]
        if not free:
            raise _full()
        return free[self.world.random.bits(64) % len(free)]

    def _claimed(self, caller: Caller, webhook: Webhook) -> bool:
        """Whether the endpoint is stored in its place; False when another one was faster."""
        audit = audit_row(self.world, caller, webhook, "create", differences({}, _audited(webhook)))
        change = Commit(puts=[put_of(webhook)], claims=[slot_claim(webhook)], audit=[audit])
        try:
            self.world.catalog.commit(change)
        except (NameTakenError, StaleVersionError):
            return False
        return True

    def _save(self, caller: Caller, before: Standing, after: Webhook, note: Diff) -> None:
        """Commit what is different, if anything is; an endpoint that is archived gives its place back."""
        diff = differences(_audited(before.webhook), _audited(after)) | note
        is_changed = after.version != before.webhook.version
        if not diff and not is_changed:
            return
        is_archived = after.archived_at is not None
        self.world.catalog.commit(
            Commit(
                puts=[put_of(after)] if is_changed else [],
                releases=[Release(scope=after.shop_id, name=slot_name(after.slot))] if is_archived else [],
                audit=[audit_row(self.world, caller, after, _verb(note, is_archived=is_archived), diff)],
            )
        )

    def _enabled(self, webhook_id: str) -> Health:
        """The endpoint's failures, forgotten. After the audit: who is interrupted here says it again, and is heard."""
        for _ in range(_RACES):
            before = self.store.health(webhook_id)
            after = before.enabled()
            if after is before:
                return before
            try:
                self.store.put_health(webhook_id, HealthChange(before, after))
            except StaleDeliveryError:
                continue
            return after
        raise DatabaseBusyError


def audit_row(world: World, caller: Caller, webhook: Webhook, verb: str, diff: Diff) -> AuditRow:
    """The audit of what somebody did to an endpoint; never its secret."""
    return world.audit_row(
        user_id=caller.user_id,
        shop_id=webhook.shop_id,
        action=f"webhook.{verb}",
        entity=("webhook", webhook.id, None),
        diff=diff,
    )


def read_in_use(
    catalog: Catalog, store: DeliveryStore, shop_id: str, webhook_id: str, expected_version: int | None
) -> Standing:
    """An endpoint with which something may still be done.

    Raises NotFoundError, VersionConflictError, and ConflictError for one that was taken out of use.
    """
    found = read_standing(catalog, store, shop_id, webhook_id)
    refuse_other_version(expected_version, found.version)
    if found.webhook.archived_at is not None:
        raise ConflictError("the webhook is archived; create a new one")
    return found


def _full() -> LimitReachedError:
    return LimitReachedError(f"a shop has {MAX_WEBHOOKS} webhooks at most; delete one that is not needed")


def _enabling(health: Health) -> Diff:
    if health.enabled() is health:
        return {}
    active = {"active": [False, True]} if health.is_disabled else {}
    return {
        **active,
        "consecutiveFailures": [health.consecutive_failures, 0],
        "disabledAt": [health.disabled_at, None],
    }


def _verb(note: Diff, *, is_archived: bool) -> str:
    if is_archived:
        return "archive"
    return "rotate_secret" if "secret" in note else "update"


def _audited(webhook: Webhook) -> Diff:
    """Of the address where it leads, and whether it is another one: receivers have secrets in the rest of it."""
    parts = urlsplit(webhook.url)
    return {
        "url": {"origin": f"{parts.scheme}://{parts.netloc}", **by_hash(webhook.url, len(webhook.url))},
        "events": list(webhook.events),
        "active": webhook.active,
        "archived_at": webhook.archived_at,
    }
