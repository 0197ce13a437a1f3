"""Endpoints of a shop: created, listed, changed, given a new secret, archived. Only one response has the secret."""

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
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Webhook
from abtest.domain.webhooks.envelope import SECRET_BYTES, secret_of
from abtest.domain.webhooks.health import EndpointHealth, Health
from abtest.kit.errors import ConflictError, DatabaseBusyError, FieldError, LimitReachedError
from abtest.ports.catalog import StaleVersionError
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.sealer import Sealer
from abtest.ports.url_check import UrlCheck
from abtest.services.aggregates import Aggregates
from abtest.services.context import Caller, World
from abtest.services.listing import Filters
from abtest.services.retries import Versions, refuse_other_version
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import WEBHOOKS, taken_slots

_RACES = 10
"""Attempts against workers that record deliveries; each of them changes the health once."""

_FULL = f"a shop has at most {MAX_WEBHOOKS} webhooks; delete one that is not needed"


@dataclass(frozen=True, slots=True)
class Issued:
    """Endpoint with its new secret, which is stored only in sealed form."""

    endpoint: EndpointHealth
    secret: str = field(repr=False)


class Endpoints:
    """Use cases of endpoints. `check` refuses an address before it is stored."""

    def __init__(
        self, world: World, *, store: DeliveryStore, sealer: Sealer, notifier: WorkerNotifier, check: UrlCheck
    ) -> None:
        self.world = world
        self._webhooks = Aggregates(world, WEBHOOKS)
        self._store = store
        self._sealer = sealer
        self._notifier = notifier
        self._check = check

    def page(
        self, shop_id: str, filters: Filters, active: bool | None, *, limit: int, after: str | None
    ) -> tuple[list[EndpointHealth], str | None]:
        """Endpoints that pass the filters and are active or not, and the key that continues the list."""
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

    def get(self, shop_id: str, webhook_id: str) -> EndpointHealth:
        """One endpoint of the shop, archived ones included. Raises NotFoundError."""
        return self._with_health(self._webhooks.get(shop_id, webhook_id))

    def create(self, caller: Caller, *, url: str, events: list[str]) -> Issued:
        """Create an endpoint with its secret. Raises UrlNotAllowedError, LimitReachedError, SealingUnavailableError."""
        url = self._address(url)
        webhook_id = self.world.new_id()
        secret = self._new_secret()
        sealed = self._sealer.seal(secret, {"shop_id": caller.shop_id, "webhook_id": webhook_id})

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
            # Each lost race means that another creation took a slot, so after this many all slots are taken.
            saved = self._webhooks.add(caller, webhook_id, make, attempts=MAX_WEBHOOKS + 1)
        except StaleVersionError as error:
            raise LimitReachedError(_FULL) from error
        return Issued(EndpointHealth(saved.value, Health()), secret)

    def update(
        self, caller: Caller, webhook_id: str, changes: Mapping[str, Any], *, expected_version: Versions
    ) -> EndpointHealth:
        """Change settings; `active: true` also forgets failures.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, UrlNotAllowedError.
        """
        is_enabling = changes.get("active") is True

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            health = usable(self._with_health(before), expected_version).health
            url = self._address(changes.get("url", before.url), before.url)
            after = endpoint.edited(before, occasion.now, **{**changes, "url": url})
            elsewhere = enabling_diff(health) if is_enabling else {}
            return Change(before=before, after=after, action="webhook.update", elsewhere=elsewhere)

        webhook = self._webhooks.change(caller, webhook_id, decide).value
        return EndpointHealth(webhook, self._reset_health(webhook_id)) if is_enabling else self._with_health(webhook)

    def rotate(self, caller: Caller, webhook_id: str, grace: timedelta, *, expected_version: Versions) -> Issued:
        """Issue a new secret; during the grace period, requests are signed with the one before as well.

        Raises NotFoundError, VersionConflictError, ConflictError for an archived one, SealingUnavailableError.
        """
        secret = self._new_secret()

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            usable(self._with_health(before), expected_version)
            sealed = self._sealer.seal(secret, {"shop_id": caller.shop_id, "webhook_id": webhook_id})
            after = endpoint.rotated(before, sealed, grace, occasion.now)
            until = after.previous.valid_until if after.previous else None
            note = {"secret": "rotated", "previous_valid_until": until}
            return Change(before=before, after=after, action="webhook.rotate_secret", note=note)

        return Issued(self._with_health(self._webhooks.change(caller, webhook_id, decide).value), secret)

    def archive(self, caller: Caller, webhook_id: str, *, expected_version: Versions) -> None:
        """Archive an endpoint. Nothing is sent to it again, and its queued deliveries die. A repetition is harmless.

        Raises NotFoundError, VersionConflictError.
        """

        def decide(before: Webhook, occasion: Occasion) -> Change[Webhook]:
            refuse_other_version(expected_version, self._with_health(before).version)
            done = before.archived_at is not None
            after = before if done else endpoint.archived(before, caller.user_id, occasion.now)
            return Change(before=before, after=after, action="webhook.archive")

        self._webhooks.change(caller, webhook_id, decide)
        # Wakes a worker, which closes what is due, so that the log soon shows why it was not sent.
        self._notifier.deliveries_due(caller.shop_id, webhook_id)

    def _with_health(self, webhook: Webhook) -> EndpointHealth:
        return EndpointHealth(webhook, self._store.health(webhook.id))

    def _address(self, url: str, known: str | None = None) -> str:
        """Return the address in the form in which requests are sent: the checked form is the stored one.

        The known address, however it is spelled, is not checked again: its name may not resolve today.
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
        return secret_of(self.world.bits(8 * SECRET_BYTES).to_bytes(SECRET_BYTES, "big"))

    def _free_slot(self, shop_id: str) -> int:
        # A random one of the free slots, so that concurrent creations seldom take the same.
        taken = taken_slots(self.world.catalog, shop_id)
        free = [slot for slot in range(MAX_WEBHOOKS) if slot not in taken]
        if not free:
            raise LimitReachedError(_FULL)
        return free[self.world.bits(64) % len(free)]

    def _reset_health(self, webhook_id: str) -> Health:
        # Failures are reset after the audit row is committed: a caller that is interrupted here repeats the request.
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


def usable(endpoint: EndpointHealth, expected_version: Versions) -> EndpointHealth:
    """Return the endpoint if it can still be used.

    Raises VersionConflictError, and ConflictError for an archived one.
    """
    refuse_other_version(expected_version, endpoint.version)
    if endpoint.webhook.archived_at is not None:
        facts = {"current_status": "archived", "allowed_actions": []}
        raise ConflictError("the webhook is archived; create a new one", facts=facts)
    return endpoint


def enabling_diff(health: Health) -> Diff:
    """Audited fields of the health that enabling an endpoint changes."""
    if health.enabled() is health:
        return {}
    active = {"active": [False, True]} if health.is_disabled else {}
    return {
        **active,
        "consecutiveFailures": [health.consecutive_failures, 0],
        "disabledAt": [health.disabled_at, None],
    }
