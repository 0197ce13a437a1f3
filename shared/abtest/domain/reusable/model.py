"""A page or an audience that a shop keeps for reuse, and its stored form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from abtest.domain.targeting.checks import check_audience, check_page
from abtest.domain.targeting.shapes import Page
from abtest.kit.clock import Timestamp

TargetKind = Literal["PAGE", "AUD"]
Document = dict[str, Any]

SAYS: Mapping[TargetKind, Mapping[str, Any]] = {
    "PAGE": {"includeRules": (), "excludeRules": (), "trigger": None, "advancedCondition": None},
    "AUD": {"rules": None},
}
"""The fields that say where or for whom, each with what holds when it is not stated."""

_OWN = ("id", "shop_id", "version", "name", "created_at", "updated_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The aggregate. `says` holds the fields of SAYS under the names of the contract."""

    kind: TargetKind
    id: str
    shop_id: str
    version: int = 0
    name: str
    says: Mapping[str, Any]
    created_at: Timestamp
    updated_at: Timestamp


def edited(target: Target, stated: Mapping[str, Any], now: Timestamp) -> Target:
    """The target with the stated fields, each as a whole; the same one when nothing differs.

    Raises ValidationFailedError and UnsafeRegexError.
    """
    says = {**target.says, **{name: stated[name] for name in SAYS[target.kind] if name in stated}}
    after = replace(target, name=stated.get("name", target.name), says=says)
    check(after)
    return target if after == target else replace(after, updated_at=now)


def check(target: Target) -> None:
    """What must hold of every stored one. Raises ValidationFailedError and UnsafeRegexError."""
    if target.kind == "PAGE":
        check_page(cast(Page, target.says))  # as `kind` has it
    else:
        check_audience(target.says["rules"])


def target_document(target: Target) -> Document:
    """The target as JSON; what refers to it reads the fields of SAYS."""
    return {**{name: getattr(target, name) for name in _OWN}, **target.says}


def target_from(kind: TargetKind, document: Mapping[str, Any]) -> Target:
    """The target that a document holds. Raises KeyError when one of its own fields is missing."""
    says = {name: document.get(name, default) for name, default in SAYS[kind].items()}
    return Target(kind=kind, says=says, **{name: document[name] for name in _OWN})
