"""Unique names that a change claims and releases: those of the record itself, and of goals that it measures."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from abtest.domain.ledger.events import goal_claim
from abtest.kit.ids import is_uuid
from abtest.ports.catalog import Catalog, Claim, Kind, Release

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names that a record holds: its own lead to it, and those of goals lead to the goals.

    `service_wide` names are unique in the whole service. Each carries attributes for readers that may read nothing
    else, so it is claimed again with every change.
    """

    own: AbstractSet[str] = _NONE
    goal_ids: AbstractSet[str] = _NONE
    service_wide: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)


def unique_name(kind: Kind, name: str) -> str:
    """The name that makes a resource's own name unique in its shop, in any case."""
    return f"{kind}#NAME#{name.casefold()}"


def public_name(public_id: str) -> str:
    """The name that an experiment's public id claims."""
    return f"EXP#PUB#{public_id}"


def id_of_experiment(catalog: Catalog, shop_id: str, reference: str) -> str | None:
    """Return the id in an id or public id of the shop's experiments; None for a public id that none has."""
    # Public ids are ten digits, so no text can be both kinds.
    if is_uuid(reference):
        return reference
    claim = catalog.resolve(shop_id, public_name(reference))
    return claim[1] if claim else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """Names of a record before and after a change."""

    shop_id: str
    record_id: str
    before: Names = Names()
    after: Names = Names()

    def claims(self) -> list[Claim]:
        """Return the names that the change claims."""
        taken = dict.fromkeys(sorted(self.after.own - self.before.own), self.record_id)
        fresh = sorted(self.after.goal_ids - self.before.goal_ids)
        # A goal's name is never released: the ingest worker checks whether the shop ever had it.
        taken |= {goal_claim(goal_id): goal_id for goal_id in fresh}
        own = [
            Claim(scope=self.shop_id, name=name, target_id=target_id, target_shop_id=self.shop_id)
            for name, target_id in taken.items()
        ]
        service_wide = [
            Claim(scope=None, name=name, target_id=self.record_id, target_shop_id=self.shop_id, attributes=attributes)
            for name, attributes in self.after.service_wide.items()
        ]
        return own + service_wide

    def releases(self) -> list[Release]:
        """Return the names that the change releases."""
        own = [Release(scope=self.shop_id, name=name) for name in sorted(self.before.own - self.after.own)]
        gone = sorted(self.before.service_wide.keys() - self.after.service_wide.keys())
        return own + [Release(scope=None, name=name) for name in gone]
