"""A page or an audience that a shop keeps for reuse, and its stored form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from abtest.domain.targeting.checks import check_audience, check_page
from abtest.domain.targeting.shapes import Page
from abtest.kit.clock import Timestamp

TargetKind = Literal["PAGE", "AUD"]
Document = dict[str, Any]

DEFAULTS: Mapping[TargetKind, Mapping[str, Any]] = {
    "PAGE": {"includeRules": (), "excludeRules": (), "trigger": None, "advancedCondition": None},
    "AUD": {"rules": None},
}
"""Fields that restrict pages or visitors, by kind, with the values of absent ones."""

_OWN = ("id", "shop_id", "version", "name", "created_at", "updated_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The aggregate. `fields` has the names of DEFAULTS, which are those of the contract."""

    kind: TargetKind
    id: str
    shop_id: str
    version: int = 0
    name: str
    fields: Mapping[str, Any]
    created_at: Timestamp
    updated_at: Timestamp


def edited(target: Target, given: Mapping[str, Any], now: Timestamp) -> Target:
    """Return the target with the given fields, each as a whole; the same one when nothing differs.

    Raises ValidationFailedError and UnsafeRegexError.
    """
    fields = {**target.fields, **{name: given[name] for name in DEFAULTS[target.kind] if name in given}}
    after = replace(target, name=given.get("name", target.name), fields=fields)
    check(after)
    return target if after == target else replace(after, updated_at=now)


def check(target: Target) -> None:
    """Check what every stored target must fulfil. Raises ValidationFailedError and UnsafeRegexError."""
    if target.kind == "PAGE":
        check_page(cast(Page, target.fields))  # as `kind` has it
    else:
        check_audience(target.fields["rules"])


def target_document(target: Target) -> Document:
    """Return the target as JSON. Resources that refer to it read the fields of DEFAULTS."""
    return {**{name: getattr(target, name) for name in _OWN}, **target.fields}


def target_from(kind: TargetKind, document: Mapping[str, Any]) -> Target:
    """Return the target of a document. Raises KeyError when one of its own fields is missing."""
    fields = {name: document.get(name, default) for name, default in DEFAULTS[kind].items()}
    return Target(kind=kind, fields=fields, **{name: document[name] for name in _OWN})
