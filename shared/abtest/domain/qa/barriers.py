"""Checks of accessibility: axe-core's rules of WCAG 2.2 AA in words that say what to change."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.qa.facts import BarrierNode, Look, Page
from abtest.domain.qa.problems import Problem, at

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa")
"""Rules of axe-core that apply."""

MIN_TARGET = 24.0
"""Pixels of the smallest target, unless there is room around it."""

_ERRORS = ("critical", "serious")

_CHECKS: Mapping[str, str] = {
    "html-has-lang": "document",
    "html-lang-valid": "document",
    "document-title": "document",
    "meta-viewport": "document",
    "link-name": "controls",
    "button-name": "controls",
    "input-button-name": "controls",
    "image-alt": "images",
}
"""Check of a rule that is about more than accessibility; all other rules are `accessibility`."""

_SENTENCES: Mapping[str, str] = {
    "html-has-lang": "has no language; set `lang`",
    "html-lang-valid": "has a language that does not exist; set `lang` to a tag such as de-AT",
    "document-title": "has no title; set it in the seo_manifest",
    "meta-viewport": "forbids visitors to zoom; remove user-scalable and maximum-scale",
    "link-name": "has no name that can be read out; give it a label",
    "button-name": "has no name that can be read out; give it a label",
    "input-button-name": "has no name that can be read out; give it a label",
    "image-alt": "has no alternative text; describe it, or mark it as decorative",
    "label": "has no label; give the field a label that stays visible",
    "select-name": "has no label; give the field a label that stays visible",
    "link-in-text-block": "differs from the text around it by its colour only; underline it",
    "nested-interactive": "is inside of another link or button; take it out",
    "duplicate-id-aria": "has the same id as another element; give each its own",
}


def barriers(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield elements that break rules; what axe-core rates lower than serious is a warning."""
    for barrier in look.facts["barriers"]:
        for node in barrier["nodes"]:
            sentence, value, limit = _explained(barrier["rule"], barrier["help"], node)
            yield Problem(
                _CHECKS.get(barrier["rule"], "accessibility"),
                at(node, sentence),
                node,
                value,
                limit,
                "error" if node["impact"] in _ERRORS else "warn",
            )


def _explained(rule: str, summary: str, node: BarrierNode) -> tuple[str, float | None, float | None]:
    data: Mapping[str, Any] = node["data"] if isinstance(node["data"], dict) else {}
    if rule == "color-contrast" and "contrastRatio" in data:
        needed = float(str(data["expectedContrastRatio"]).partition(":")[0])
        colours = f"{data['fgColor']} on {data['bgColor']} has a contrast of {data['contrastRatio']} to 1"
        return f"is hard to read: {colours}; make it at least {needed:g}", data["contrastRatio"], needed
    if rule == "target-size":
        width, height = (float(data.get(side) or 0) for side in ("width", "height"))
        size = f"{width:.0f} x {height:.0f} pixels" if width else "fewer pixels than a finger needs"
        sentence = f"has {size} to tap; make it {MIN_TARGET:g} x {MIN_TARGET:g}, or leave room around it"
        return sentence, min(width, height), MIN_TARGET
    return _SENTENCES.get(rule) or f"breaks a rule of accessibility ({rule}): {summary}", None, None
