"""Pages and audiences of a shop: created, listed, changed, deleted. Consumers see each change at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.reusable.model import DEFAULTS, Target, TargetKind, check, edited, target_document, target_from
from abtest.kit.errors import ConflictError
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions
from abtest.services.reusable.consumers import Consumer, consumers_of, live_among
from abtest.services.storefronts import Storefronts

Given = Mapping[str, Any]
_NAMED_AT_MOST = 5


def _resource(kind: TargetKind, noun: str) -> Resource[Target]:
    return Resource(
        kind=kind,
        noun=noun,
        to_document=target_document,
        from_record=lambda record: target_from(kind, record.body),
        summary=lambda target: Summary(name=target.name),
        audited=lambda target: {"name": target.name, **target.fields},
        # A consumer that began to use the target since its consumers were read was published with the old rules.
        # So every edit of the rules is published, whether it had consumers or not.
        reaches_shoppers=lambda before, after: bool(before and after and before.fields != after.fields),
    )


PAGES = _resource("PAGE", "page")
AUDIENCES = _resource("AUD", "audience")


class Targets(Aggregates[Target]):
    """Use cases that pages and audiences share."""

    kind: TargetKind

    def consumers(self, shop_id: str, target_id: str) -> list[Consumer]:
        """Unarchived consumers. Raises NotFoundError."""
        self.get(shop_id, target_id)
        return consumers_of(self.world.catalog, shop_id, target_id)

    def create(self, caller: Caller, given: Given) -> Saved[Target]:
        """Create one that nothing refers to yet. Raises ValidationFailedError and UnsafeRegexError."""

        target_id = self.world.new_id()

        def make(occasion: Occasion) -> Target:
            target = Target(
                kind=self.kind,
                id=target_id,
                shop_id=caller.shop_id,
                name=given["name"],
                fields={name: given.get(name, default) for name, default in DEFAULTS[self.kind].items()},
                created_at=occasion.now,
                updated_at=occasion.now,
            )
            check(target)
            return target

        return self.add(caller, target_id, make)

    def update(
        self, caller: Caller, target_id: str, given: Given, *, consent: Consent, expected_version: Versions
    ) -> Saved[Target]:
        """Replace the given fields. Raises LiveImpactError unless `consent` names every live consumer."""

        def decide(before: Target, occasion: Occasion) -> Change[Target]:
            after = edited(before, given, occasion.now)
            if after.fields != before.fields:
                self._require_consent(before, consent)
            return Change(before=before, after=after, action=f"{self.resource.noun}.update")

        return self.change(caller, target_id, decide, expected_version=expected_version)

    def delete(
        self, caller: Caller, target_id: str, *, consent: Consent = NO_CONSENT, expected_version: Versions
    ) -> None:
        """Delete what nothing refers to. Raises LiveImpactError, and ConflictError that names the consumers."""

        def check_unused(target: Target) -> None:
            if consumers := self._require_consent(target, consent):
                raise ConflictError(f"the {self.resource.noun} is used by {_listed(consumers)}")

        self.remove(caller, target_id, expected_version=expected_version, check=check_unused)

    def _require_consent(self, target: Target, consent: Consent) -> list[Consumer]:
        """Return the consumers. Raises LiveImpactError when the live ones are not all acknowledged."""
        consumers = consumers_of(self.world.catalog, target.shop_id, target.id)
        live = live_among(consumers)
        if not consent.names_all(live):
            raise LiveImpactError(live)
        return consumers


class Pages(Targets):
    """Use cases of pages."""

    kind = "PAGE"

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        super().__init__(world, PAGES, storefronts)


class Audiences(Targets):
    """Use cases of audiences."""

    kind = "AUD"

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        super().__init__(world, AUDIENCES, storefronts)


def _listed(consumers: Sequence[Consumer]) -> str:
    named = ", ".join(f"{each.consumer} {each.name} ({each.id})" for each in consumers[:_NAMED_AT_MOST])
    more = len(consumers) - _NAMED_AT_MOST
    return f"{named} and {more} more" if more > 0 else named
