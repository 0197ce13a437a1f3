"""Checks of what a page has: its head, texts, images, links, buttons and forms."""

from collections.abc import Iterator, Mapping

from abtest.domain.brand.phrases import banned_phrases
from abtest.domain.qa.facts import Control, EmptySubmit, Image, Look, Page
from abtest.domain.qa.problems import Problem, at

MIN_TEXT = 12.0
"""Pixels of the smallest letters."""

MAX_OVERSIZE = 2.0
"""Pixels of an image's file for one pixel of the device, in both directions."""

SMALLEST_RENDITION = 480
"""Pixels of the smallest copy of an image: smaller files cannot be had."""

_VIEWPORT = "width=device-width"

_UNUSABLE: Mapping[str, str] = {
    "invisible": "cannot be seen: it is transparent, hidden or without size; show it, or remove it",
    "outside": "is outside of what the page can be scrolled to; move it back, or remove it",
    "unreachable": "does not react to clicks or taps; allow pointer events on it",
}


def head(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield problems of the document: one main heading, a language, a window of the device's width."""
    facts = look.facts
    if not facts["headings"]:
        yield Problem("document", "the page has no main heading (h1); give its first block a heading", value=0, limit=1)
    for extra in facts["headings"][1:]:
        message = at(extra, "is another main heading (h1); a page has one, so make this an h2")
        yield Problem("document", message, extra, len(facts["headings"]), 1)
    if _VIEWPORT not in (facts["viewport_meta"] or ""):
        message = f"phones show the page at the width of a desktop; its meta element `viewport` must have {_VIEWPORT}"
        yield Problem("document", message)


def texts(look: Look, page: Page) -> Iterator[Problem]:
    """Yield letters that are too small, and phrases that the brand bans, as visitors see them."""
    for text in look.facts["small_texts"]:
        message = at(text, f"has letters of {text['size']:g} pixels; make them at least {MIN_TEXT:g}")
        yield Problem("text_size", message, text, text["size"], MIN_TEXT)
    for block in look.facts["texts"]:
        for phrase in banned_phrases([block["text"]], page.banned_phrases):
            message = at(block, f"shows the banned phrase “{phrase}”; write it in other words")
            yield Problem("brand_banned_phrases", message, block, severity="error" if page.is_strict else "warn")


def images(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield images that are not shown, or whose files are far larger than what is shown of them."""
    for image in look.facts["images"]:
        if not image["is_decoded"]:
            message = at(image, f"is not shown: {image['src'] or 'it has no address'} cannot be read as an image")
            yield Problem("images", f"{message}; upload it again", image)
        elif (ratio := _oversize(image)) > MAX_OVERSIZE:
            shown = f"{image['shown_width']:.0f} x {image['shown_height']:.0f}"
            file = f"{image['file_width']} x {image['file_height']}"
            message = at(image, f"has a file of {file} pixels and is shown at {shown}; use a smaller file")
            yield Problem("images", message, image, round(ratio, 1), MAX_OVERSIZE)


def _oversize(image: Image) -> float:
    if not image["shown_width"] or not image["shown_height"] or image["file_width"] <= SMALLEST_RENDITION:
        return 0.0
    # An image that fills its place is cut in one direction; the other one decides.
    return min(image["file_width"] / image["shown_width"], image["file_height"] / image["shown_height"])


def controls(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield links and buttons that visitors cannot use."""
    for control in look.facts["controls"]:
        yield Problem("controls", at(control, _why(control)), control)
    layouts = (look.facts["layout"], *look.layouts)
    # Blocks may be hidden on phones or on desktops, but something that is hidden everywhere is a mistake.
    everywhere = set.intersection(*({each["selector"] for each in layout["absent"]} for layout in layouts))
    for element in look.facts["layout"]["absent"]:
        if len(layouts) > 1 and element["selector"] in everywhere:
            message = at(element, "is hidden at every width; show it, or remove it")
            yield Problem("controls", message, element)


def _why(control: Control) -> str:
    if control["by"] is not None:
        return f"is covered by {control['by']['words']}, so that clicks go there; move one of them"
    return _UNUSABLE[control["problem"]]


def forms(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield forms that can be sent empty, or cannot be sent at all."""
    for form in look.facts["forms"]:
        if problem := _form(form):
            yield problem


def _form(form: EmptySubmit) -> Problem | None:
    if not form["has_button"]:
        return Problem("forms", at(form, "has no button that sends it; add one"), form)
    if not form["required"]:
        return Problem("forms", at(form, "can be sent empty; make at least one field required"), form, severity="warn")
    if form["is_sent"]:
        message = "is sent although its required fields are empty; remove `novalidate` and preset values"
        return Problem("forms", at(form, message), form, len(form["messages"]), form["required"])
    if not any(form["messages"]):
        return Problem("forms", at(form, "does not tell visitors which fields are missing"), form, 0, 1)
    return None
