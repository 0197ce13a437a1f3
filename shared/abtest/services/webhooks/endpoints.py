"""Endpoints of a shop: made, listed, changed, given a new secret, archived. The secret is in one answer only."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.diff import Diff
from abtest.domain.egress import targets
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.webhooks import endpoint
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Sealed, Webhook
from abtest.domain.webhooks.envelope import SECRET_BYTES, secret_of
from abtest.domain.webhooks.health import Health, Standing
from abtest.kit.errors import ConflictError, DatabaseBusyError, FieldError, LimitReachedError
from abtest.ports.catalog import StaleVersionError
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.sealer import Sealer
from abtest.ports.url_check import UrlCheck
from abtest.services.aggregates import Aggregates
from abtest.services.context import Caller, World
from abtest.services.listing import Filters
from abtest.services.retrying import refuse_other_version
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.records import WEBHOOKS, taken_slots

_RACES = 10
"""Against workers that record what they sent; each of them moves the health once."""


@dataclass(frozen=True, slots=True)
class Issued:
    """An endpoint with its new secret, which is stored sealed only."""

    standing: Standing
    secret: str = field(repr=False)


class Endpoints:
    """Use cases of endpoints. `check` looks at an address before it is stored."""

    def __init__(
        self, world: World, *, store: DeliveryStore, sealer: Sealer, doorbell: Doorbell, check: UrlCheck
    ) -> None:
        self.world = world
        self._webhooks = Aggregates(world, WEBHOOKS)
        self._store = store
        self._sealer = sealer
        self._doorbell = doorbell
        self._check = check

    def page(
        self, shop_id: str, filters: Filters, active: bool | None, *, limit: int, after: str | None
    ) -> tuple[list[Standing], str | None]:
        """Those that pass the filters and are active or not, and the key that continues the list."""
        with_health = cache(self._with_health)  # the filter and the response both need it
        # A webhook that its shop switched off cannot become active by its health.
        narrowed = replace(filters, status="active") if active else filters
        webhooks, last = self._webhooks.page(
            shop_id,
            narrowed,
            limit=limit,
            after=after,
            admits_whole=lambda webhook: active in (None, with_health(webhook).is_active),
        )
        return [with_health(webhook) for webhook in webhooks], last

    def get(self, shop_id: str, webhook_id: str) -> Standing:
        """One of the shop's, archived ones included. Raises NotFoundError."""
        return self._with_health(self._webhooks.get(shop_id, webhook_id))

    def create(self, caller: Caller, *, url: str, events: list[str]) -> Issued:
        """Create an endpoint with its secret. Raises UrlNotAllowedError, LimitReachedError, SealingUnavailableError."""
        url = self._address(url)
        webhook_id = self.world.new_id()
        secret = self._new_secret()
        sealed = self._sealed(secret, caller.shop_id, webhook_id)

        def make(occasion: Occasion) -> Webhook:
            return Webhook(
                id=webhook_id,
                shop_id=caller.shop_id,
                url=url,
                events=tuple(events),
                secret=sealed,
                slot=self._free_slot(caller.shop_id),
                created_at=occasion.now,
                updated_at=occasion.now,
            )

        try:
            saved = self._webhooks.add(caller, make, attempts=MAX_WEBHOOKS + 1)
        except StaleVersionError as error:
            raise _full() from error
        return Issued(Standing(saved.value, Health()), secret)

    def update(
        self, caller: Caller, webhook_id: str, changes: Mapping[str, Any], *, expected_version: int | None
    ) -> Standing:
        """Change settings; `active: true` also forgets failures.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, UrlNotAllowedError.
        """
        is_enabling = changes.get("active") is True

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            health = self._usable(before, expected_version).health
            url = self._address(changes.get("url", before.url), before.url)
            after = endpoint.edited(before, occasion.now, **{**changes, "url": url})
            elsewhere = _enabling(health) if is_enabling else {}
            return Change(before=before, after=after, action="webhook.update", elsewhere=elsewhere)

        webhook = self._webhooks.change(caller, webhook_id, decide).value
        return Standing(webhook, self._enabled(webhook_id)) if is_enabling else self._with_health(webhook)

    def rotate(self, caller: Caller, webhook_id: str, grace: timedelta, *, expected_version: int | None) -> Issued:
        """Issue a new secret; for the grace, what is sent is signed with the one before as well.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, SealingUnavailableError.
        """
        secret = self._new_secret()

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            self._usable(before, expected_version)
            after = endpoint.rotated(before, self._sealed(secret, caller.shop_id, webhook_id), grace, occasion.now)
            until = after.previous.valid_until if after.previous else None
            note = {"secret": "rotated", "previous_valid_until": until}
            return Change(before=before, after=after, action="webhook.rotate_secret", note=note)

        return Issued(self._with_health(self._webhooks.change(caller, webhook_id, decide).value), secret)

    def archive(self, caller: Caller, webhook_id: str, *, expected_version: int | None) -> None:
        """Send nothing more to it, for good; what is queued dies. Doing it twice is harmless.

        Raises NotFoundError, VersionConflictError.
        """

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            refuse_other_version(expected_version, self._with_health(before).version)
            done = before.archived_at is not None
            after = before if done else endpoint.archived(before, caller.user_id, occasion.now)
            return Change(before=before, after=after, action="webhook.archive")

        self._webhooks.change(caller, webhook_id, decide)
        self._doorbell.deliveries(caller.shop_id, webhook_id)

    def _with_health(self, webhook: Webhook) -> Standing:
        return Standing(webhook, self._store.health(webhook.id))

    def _usable(self, webhook: Webhook, expected_version: int | None) -> Standing:
        return usable(self._with_health(webhook), expected_version)

    def _address(self, url: str, known: str | None = None) -> str:
        """The address in the form in which requests go to it: what is checked is what is kept.

        The one that is known, however it is spelled, is not checked again: its name may lead nowhere today.
        """
        if url == known:
            return url
        try:
            sent = targets.read(url).url
            if sent != known:
                self._check(sent)
        except UrlNotAllowedError as error:
            raise UrlNotAllowedError(error.message, fields=[FieldError("url", error.message)]) from error
        return sent

    def _new_secret(self) -> str:
        return secret_of(self.world.random.bits(8 * SECRET_BYTES).to_bytes(SECRET_BYTES, "big"))

    def _sealed(self, secret: str, shop_id: str, webhook_id: str) -> Sealed:
        return self._sealer.seal(secret, {"shop_id": shop_id, "webhook_id": webhook_id})

    def _free_slot(self, shop_id: str) -> int:
        """Any of the free places, so that those who come together seldom want the same one."""
        taken = taken_slots(self.world.catalog, shop_id)
        free = [slot for slot in range(MAX_WEBHOOKS) if slot not in taken]
        if not free:
            raise _full()
        return free[self.world.random.bits(64) % len(free)]

    def _enabled(self, webhook_id: str) -> Health:
        """The endpoint's failures, forgotten. After the audit: who is interrupted here says it again, and is heard."""
        for _ in range(_RACES):
            before = self._store.health(webhook_id)
            after = before.enabled()
            if after is before:
                return before
            try:
                self._store.put_health(webhook_id, HealthChange(before, after))
            except StaleDeliveryError:
                continue
            return after
        raise DatabaseBusyError


def usable(standing: Standing, expected_version: int | None) -> Standing:
    """The endpoint, if something may still be done with it.

    Raises VersionConflictError, and ConflictError for one that was taken out of use.
    """
    refuse_other_version(expected_version, standing.version)
    if standing.webhook.archived_at is not None:
        raise ConflictError("the webhook is archived; create a new one")
    return standing


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
