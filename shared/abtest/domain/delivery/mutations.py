"""Mutations as browsers get them: aliases of actions are resolved, notes for people left out."""

import re
from collections.abc import Iterable, Mapping

from abtest.domain.assignment.shapes import PublishedMutation
from abtest.domain.experiments.shapes import Mutation

_ALIASES = {"setText": "text", "setStyle": "style"}
_ATTRIBUTES = re.compile(r"\[[^\]]*\]")
"""Attribute tests: they do not depend on siblings, and their values may look like any other selector."""
_ONE_PLACE = re.compile(r":first-(child|of-type)|:nth-(child|of-type)\(\s*\d+\s*\)|\+", re.ASCII)
_ANY_PLACE = re.compile(r":(nth|first|last|only)-|\+")
_SHORT_FOR_OTHERS = re.compile(r"(all|inset|flex-flow|place-\w+|grid-area)$")
"""Shorthands that are not a prefix of the properties they stand for; all others are."""
_PAIRS = re.compile(
    r"""\[[A-Za-z0-9_-]+([~|^$*]?=([A-Za-z0-9_-]+|(["'])[A-Za-z0-9_ .:/-]*\3))?\]|\([A-Za-z0-9_ +-]*\)"""
)
"""Brackets that surely close what they open."""
_UNSURE = re.compile(r"[^A-Za-z0-9_ .#>+~*:,-]|^$")
POSITIONAL, WHOLE, CONTEXTUAL, UNSURE = 1, 2, 4, 8
"""Kinds of selectors, as bits."""


def normalised(mutations: Iterable[Mutation]) -> list[PublishedMutation]:
    """Return each as in section 1 of docs/data-model.md: with `text`, `html`, `styles` or `attributes`, and `kind`."""
    return [_published(mutation) for mutation in mutations]


def without_kinds(compiled: Iterable[PublishedMutation]) -> list[dict[str, object]]:
    """Return the mutations without `kind`, for clients that apply them in their own way."""
    return [{name: value for name, value in each.items() if name != "kind"} for each in compiled]


def kind_of(selector: str) -> int:
    """Return what a browser has to know of a selector, as bits.

    `POSITIONAL`: removing or inserting a sibling moves what it matches, so it is resolved once per parent render.
    `WHOLE`: its matches are known only once the parent has all its children.
    `CONTEXTUAL`: later content may make earlier elements match, so looking at added elements alone is not enough.
    `UNSURE`: it may leave a bracket, text or comment open, so no other selector can follow it in a list.
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


def _published(mutation: Mutation) -> PublishedMutation:
    action = _ALIASES.get(mutation["action"]) or mutation["action"]
    published: PublishedMutation = {"selector": mutation["selector"], "action": action}
    if kind := kind_of(mutation["selector"]):
        published["kind"] = kind
    # The field of an action is there even if it is empty: an empty text clears the element.
    if action == "text":
        published["text"] = mutation.get("text") or ""
    elif action in ("html", "insertBefore", "insertAfter"):
        published["html"] = mutation.get("html") or ""
    elif action == "style":
        published["styles"] = ordered_styles(mutation.get("styles") or {})
    elif action == "attribute":
        single = mutation.get("attribute")
        named = {single["name"]: single["value"]} if single else {}
        published["attributes"] = named | (mutation.get("attributes") or {})
    return published


def ordered_styles(styles: Mapping[str, str]) -> dict[str, str]:
    """Return styles with names in kebab case, a shorthand before the properties it stands for.

    Stored styles have no order, and a shorthand that came last would undo the longer ones. `backgroundColor` and
    `background-color` are both in use; custom properties (`--x`) keep their case.
    """
    kebab = {
        name if name.startswith("--") else re.sub("[A-Z]", lambda letter: f"-{letter[0].lower()}", name): value
        for name, value in styles.items()
    }
    return dict(
        sorted(
            kebab.items(),
            key=lambda style: -1 if _SHORT_FOR_OTHERS.match(style[0]) else style[0].lstrip("-").count("-"),
        )
    )
