"""Mutations as shoppers' browsers get them: the contract's aliases folded away, notes for people left out."""

import re
from collections.abc import Iterable

from abtest.domain.assignment.shapes import MutationPayload, PublishedMutation
from abtest.domain.experiments.shapes import Mutation
from abtest.kit.json_objects import present

_ALIASES = {"setText": "text", "setStyle": "style"}
_ATTRIBUTES = re.compile(r"\[[^\]]*\]")
"""Says nothing about siblings: attribute tests, whose values may look like anything."""
_ONE_PLACE = re.compile(r":first-(child|of-type)|:nth-(child|of-type)\(\s*\d+\s*\)|\+", re.ASCII)
_ANY_PLACE = re.compile(r":(nth|first|last|only)-|\+")
_SHORT_FOR_OTHERS = re.compile(r"(all|inset|flex-flow|place-\w+|grid-area)$")
"""Shorthands whose names do not say so: the others' are those of what they are short for, without the last words."""
_PAIRS = re.compile(
    r"""\[[A-Za-z0-9_-]+([~|^$*]?=([A-Za-z0-9_-]+|(["'])[A-Za-z0-9_ .:/-]*\3))?\]|\([A-Za-z0-9_ +-]*\)"""
)
"""Brackets that surely close what they open."""
_UNSURE = re.compile(r"[^A-Za-z0-9_ .#>+~*:,-]|^$")
POSITIONAL, WHOLE, CONTEXTUAL, UNSURE = 1, 2, 4, 8
"""Kinds of selectors, as bits."""


def normalised(mutations: Iterable[Mutation]) -> list[PublishedMutation]:
    """Each as docs/data-model.md section 1 has it: with `text`, `html`, `styles` or `attributes`, and its `kind`."""
    return [_normalised(mutation) for mutation in mutations]


def without_kinds(compiled: Iterable[PublishedMutation]) -> list[dict[str, object]]:
    """For those who apply mutations in their own way."""
    return [{name: value for name, value in each.items() if name != "kind"} for each in compiled]


def kind_of(selector: str) -> int:
    """What a browser has to know of a selector, as bits.

    `POSITIONAL`: removing or inserting a sibling moves what it matches, so it is resolved once per parent render.
    `WHOLE`: what it matches is known only once the parent has all its children.
    `CONTEXTUAL`: later content may make earlier elements match, so that looking at what was added is not enough.
    `UNSURE`: it may leave a bracket, text or comment open; then no other selector can stand behind it in a list.
    """
    bare = _ATTRIBUTES.sub("", selector)
    kind = CONTEXTUAL if ":has(" in bare else 0
    if _UNSURE.search(_PAIRS.sub(":", selector)):
        kind |= UNSURE
    if _ANY_PLACE.search(bare):
        kind |= POSITIONAL
        if _ANY_PLACE.search(_ONE_PLACE.sub("", bare)):
            kind |= WHOLE
    return kind


def _normalised(mutation: Mutation) -> PublishedMutation:
    action: str = _ALIASES.get(mutation["action"]) or mutation["action"]
    selector = mutation["selector"]
    kind = kind_of(selector)
    published: PublishedMutation = {"selector": selector, "action": action}
    published |= present(kind=kind, **_payload(action, mutation))
    return published


def _payload(action: str, mutation: Mutation) -> MutationPayload:
    if action == "text":
        return {"text": mutation.get("text") or ""}
    if action in ("html", "insertBefore", "insertAfter"):
        return {"html": mutation.get("html") or ""}
    if action == "style":
        styles = {_property(name): value for name, value in (mutation.get("styles") or {}).items()}
        return {"styles": dict(sorted(styles.items(), key=_breadth))}
    if action == "attribute":
        return {"attributes": _attributes(mutation)}
    return {}


def _property(name: str) -> str:
    """`backgroundColor` and `background-color` are both in use."""
    return name if name.startswith("--") else re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name)


def _breadth(style: tuple[str, str]) -> int:
    """Shorthands stand before what they are short for, as a style sheet would have it: stored styles have no order."""
    name = style[0]
    return -1 if _SHORT_FOR_OTHERS.match(name) else name.lstrip("-").count("-")


def _attributes(mutation: Mutation) -> dict[str, str | None]:
    single = mutation.get("attribute")
    return ({single["name"]: single["value"]} if single else {}) | dict(mutation.get("attributes") or {})
