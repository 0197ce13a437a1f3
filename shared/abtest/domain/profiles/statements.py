"""Statements that a visit supports: what a run suggests as facts, each with its confidence and its clues."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from abtest.domain.profiles.model import ColourRole, Look, Tone
from abtest.domain.profiles.page import Clue, StorePage, types_of, words_of
from abtest.domain.profiles.signatures import ENOUGH, Detection, ToolKind
from abtest.domain.profiles.visit import Sheet, Visit

MAX_VALUE = 300
MAX_OF_A_KEY = 8

KEYS: dict[ToolKind, str] = {
    "platform": "platform",
    "consent": "consent_provider",
    "tag_manager": "tag_manager",
    "analytics": "analytics",
    "experiments": "experiment_tool",
    "framework": "framework",
}
_ORGANISATIONS = frozenset({"Organization", "Store", "OnlineStore", "LocalBusiness", "WebSite", "Corporation"})
_ROLE_CONFIDENCE: Mapping[ColourRole, float] = {"background": 0.85, "text": 0.85, "accent": 0.75}
_BETWEEN = re.compile(r"\s+[|·•–—:-]+(?:\s+|$)")
"""Signs between the parts of a title; one part is often the name of the store."""


class Statement(NamedTuple):
    """Suggested fact."""

    key: str
    value: str
    confidence: float
    clues: Sequence[Clue]


def platform_of(detections: Iterable[Detection]) -> Detection | None:
    """Return the platform; None without one, and where two have enough evidence, because then one is wrong."""
    platforms = [each for each in detections if each.kind == "platform"]
    return platforms[0] if len(platforms) == 1 else None


def statements(visit: Visit, detections: Sequence[Detection], look: Look, tone: Tone) -> list[Statement]:
    """Return what the visit supports, at most eight values of a key."""
    every = [
        *_tools(detections),
        *_languages(visit),
        *_currencies(visit.good),
        *_data_layer(visit.good),
        *_names(visit),
        *_logos(visit),
        *_looks(look, visit.sheets, visit.home),
        *_calls(tone, visit.good),
    ]
    count: Counter[str] = Counter()
    kept = []
    for statement in every:
        count[statement.key] += 1
        if count[statement.key] <= MAX_OF_A_KEY:
            kept.append(statement)
    return kept


def _tools(detections: Sequence[Detection]) -> Iterator[Statement]:
    platform = platform_of(detections)
    for tool in detections:
        if tool.kind == "platform" and tool is not platform:
            continue
        yield Statement(KEYS[tool.kind], tool.name, tool.confidence, tool.clues)
    if platform is not None and (themes := platform.details.get("theme")):
        # A page may load files of a parent theme as well; the first one is that of its style sheet.
        yield Statement("theme", themes[0][:MAX_VALUE], ENOUGH, [platform.sources["theme"]])


def _languages(visit: Visit) -> Iterator[Statement]:
    pages = [page for page in visit.good if page.language]
    for language, count in Counter(main_language(page.language) for page in pages).most_common():
        clues = [
            page.clue(f'<html lang="{page.language}">') for page in pages if main_language(page.language) == language
        ]
        yield Statement("language", language, round(0.6 + 0.35 * count / len(visit.good), 2), clues[:3])


def main_language(tag: str) -> str:
    """Return the language of a tag such as `de-AT`, in lower case."""
    return tag.replace("_", "-").partition("-")[0].strip().lower()


def _currencies(pages: Sequence[StorePage]) -> Iterator[Statement]:
    for code in dict.fromkeys(code for page in pages for code in page.currencies):
        clues = [page.clue(f"priceCurrency: {code}") for page in pages if code in page.currencies]
        yield Statement("currency", code, 0.95, clues[:3])


def _data_layer(pages: Sequence[StorePage]) -> Iterator[Statement]:
    clues = [clue for page in pages if (clue := data_layer_in(page))]
    if clues:
        yield Statement("data_layer", "dataLayer", 0.95, clues[:3])


def data_layer_in(page: StorePage) -> Clue | None:
    """Return the first script of a page that fills a data layer."""
    for script in page.inline:
        place = script.find("dataLayer.push(")
        place = script.find("dataLayer =") if place < 0 else place
        if place >= 0:
            return page.clue(f"inline: {script[max(0, place - 20) : place + 160]}")
    return None


def _names(visit: Visit) -> Iterator[Statement]:
    sources: dict[str, list[Clue]] = {}
    for page in visit.good:
        if name := page.meta("og:site_name"):
            sources.setdefault(name, []).append(page.clue(f"og:site_name: {name}"))
        for item in page.data:
            named = item.get("name")
            if isinstance(named, str) and named.strip() and _ORGANISATIONS & set(types_of(item)):
                name = words_of(named)
                sources.setdefault(name, []).append(page.clue(f"{types_of(item)[0]} name: {name}"))
    # Two sources with different names leave both in doubt.
    confidence = 0.9 if len(sources) < 2 else 0.63
    for name, clues in sources.items():
        yield Statement("brand_name", name, confidence, clues[:3])
    if not sources:
        yield from _name_in_titles(visit)


def _name_in_titles(visit: Visit) -> Iterator[Statement]:
    """Yield the part that the titles of different pages share, if it is also the text of the link to the home page."""
    titles = {page.title: page for page in visit.good if page.title}
    parts = [{part for part in _BETWEEN.split(title) if part} for title in titles]
    shared = set.intersection(*parts) if len(parts) > 1 else set()
    linked = {link.text for page in visit.good for link in page.links if link.url == visit.home.url}
    names = shared & linked
    # A title alone may share words that name no one, such as "Official site".
    if len(names) == 1:
        name = names.pop()
        clues = [page.clue(f"title: {title}") for title, page in titles.items()]
        yield Statement("brand_name", name, 0.8, clues[:3])


def _logos(visit: Visit) -> Iterator[Statement]:
    for page in visit.good[:1]:
        for item in page.data:
            logo = item.get("logo")
            logo = logo.get("url") if isinstance(logo, dict) else logo
            if isinstance(logo, str) and logo.startswith("https://") and _ORGANISATIONS & set(types_of(item)):
                yield Statement("logo", words_of(logo), 0.9, [page.clue(f"{types_of(item)[0]} logo: {logo}")])
                return
        if page.logos:
            yield Statement("logo", page.logos[0][:MAX_VALUE], 0.7, [page.clue(f"img src: {page.logos[0]}")])


def _looks(look: Look, sheets: Sequence[Sheet], home: StorePage) -> Iterator[Statement]:
    for colour in look.roles:
        clue = _style_clue(sheets, home, colour.declared.rpartition(": ")[2].removesuffix(" }"), colour.declared)
        yield Statement(f"{colour.role}_colour", colour.value, _ROLE_CONFIDENCE[colour.role], [clue])
    for font in look.fonts[:2]:
        quoted = f"font-family: {font.family}, {font.share:.1%} of the fonts"
        clue = _style_clue(sheets, home, font.family, quoted)
        yield Statement("font", font.family, round(min(0.9, 0.5 + font.share), 2), [clue])


def _style_clue(sheets: Sequence[Sheet], home: StorePage, value: str, quoted: str) -> Clue:
    """Return the first sheet that has a value; the home page for one of its own styles."""
    sheet = next((each for each in sheets if value in each.text), None)
    return Clue(sheet.url, words_of(quoted), sheet.sha256, sheet.fetched_at) if sheet else home.clue(quoted)


def _calls(tone: Tone, pages: Sequence[StorePage]) -> Iterator[Statement]:
    for call in tone.calls_to_action[:3]:
        on = [page for page in pages if call in page.buttons]
        yield Statement(
            "call_to_action", call, round(min(0.9, 0.5 + len(on) / len(pages) / 2), 2), [on[0].clue(f"button: {call}")]
        )
