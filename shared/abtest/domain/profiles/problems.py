"""Problems that a visit shows, one of each kind, with the advice about it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from abtest.domain.profiles.model import Severity
from abtest.domain.profiles.page import Clue, StorePage
from abtest.domain.profiles.signatures import Detection
from abtest.domain.profiles.visit import Missed, SeenPage, Visit

MAX_CLUES = 5
MAX_TITLE = 65
"""Characters of a title that search engines show."""


class ProblemKind(NamedTuple):
    """Kind of problem: how bad it is, and what to do about it."""

    severity: Severity
    what_to_do: str


KINDS: Mapping[str, ProblemKind] = {
    "snippet_missing": ProblemKind(
        "critical",
        "Put the tags of GET /settings/install first into the head of every page; without them no experiment runs.",
    ),
    "snippet_late": ProblemKind(
        "warning",
        "Put the bounded or the synchronous tag first into the head, so that shoppers never see the page before it.",
    ),
    "several_tag_managers": ProblemKind(
        "warning", "Keep one tag manager: each one delays the page, and events that both send count twice."
    ),
    "consent_missing": ProblemKind(
        "warning",
        "Ask for consent before cookies are set, or confirm that these are necessary and dismiss the finding.",
    ),
    "product_data_incomplete": ProblemKind(
        "warning", "Add price and priceCurrency to the offers of the products' structured data."
    ),
    "pages_fail": ProblemKind("warning", "Repair these pages, or take them off the links and the sitemap."),
    "pages_unreachable": ProblemKind(
        "warning", "Find out why these addresses do not answer completely within ten seconds."
    ),
    "pages_lead_away": ProblemKind(
        "warning",
        "Correct these redirects; if the host is the shop's own, add it to its install domains, and run again.",
    ),
    "pages_too_large": ProblemKind("warning", "Make the HTML of these pages smaller than 3 MiB."),
    "pages_not_html": ProblemKind("notice", "Take addresses of files off the navigation, or serve them as HTML pages."),
    "mixed_content": ProblemKind("warning", "Load these files over https; browsers refuse or upgrade them."),
    "images_without_alternative": ProblemKind(
        "notice", 'Give each image a text in `alt`; an image that only decorates gets alt="".'
    ),
    "titles_too_long": ProblemKind("notice", f"Shorten the titles to {MAX_TITLE} characters; search engines cut them."),
    "platform_ambiguous": ProblemKind(
        "notice", "Confirm the platform by hand: the pages have signs of more than one, so none is suggested."
    ),
    "sitemap_unusable": ProblemKind("notice", "Correct the sitemap; the run read the links of the home page instead."),
}
"""All kinds, in the order of the list."""


class Problem(NamedTuple):
    """Problem of a kind: a sentence with its numbers, and its clues."""

    kind: str
    message: str
    clues: Sequence[Clue]


def problems(visit: Visit, detections: Sequence[Detection]) -> list[Problem]:
    """Return the problems of a visit in the order of the kinds."""
    every = [problem for check in _CHECKS for problem in check(visit)]
    every += [*_tag_managers(detections), *_consent(visit, detections), *_platforms(detections)]
    order = list(KINDS)
    return sorted(every, key=lambda problem: order.index(problem.kind))


def _snippet(visit: Visit) -> Iterator[Problem]:
    seen = [each for each in visit.seen if each.page.status < 400]
    without = [each for each in seen if not each.verdict.is_found]
    if without:
        clues = [each.page.clue(each.verdict.errors[0]) for each in without]
        yield Problem("snippet_missing", f"The snippet is missing on {_share(without, seen)}.", clues)
    late = [each for each in seen if each.verdict.is_found and _late_reason(each)]
    if late:
        clues = [each.page.clue(_late_reason(each)) for each in late]
        yield Problem("snippet_late", f"The snippet comes late, or does not run, on {_share(late, seen)}.", clues)


def _late_reason(seen: SeenPage) -> str:
    """Return what is wrong with a snippet that is there; "" for nothing."""
    if seen.verdict.errors:
        return seen.verdict.errors[0]
    return "The snippet has the attribute async." if seen.verdict.tag == "asynchronous" else ""


def _failing(visit: Visit) -> Iterator[Problem]:
    failing = [page for _, page, _ in visit.seen if page.status >= 400]
    if failing:
        names = ", ".join(f"{page.url} ({page.status})" for page in failing[:MAX_CLUES])
        clues = [page.clue(f"status {page.status}") for page in failing]
        yield Problem("pages_fail", f"{_count(failing)} an error: {names}.", clues)


def _missed(visit: Visit) -> Iterator[Problem]:
    for trouble, kind in (
        ("unreachable", "pages_unreachable"),
        ("refused", "pages_lead_away"),
        ("not_html", "pages_not_html"),
    ):
        missed = [each for each in visit.missed if each.trouble == trouble]
        if missed:
            message = "; ".join(f"{each.url}: {each.reason}" for each in missed[:MAX_CLUES])
            yield Problem(kind, f"{message}.", [_missed_clue(each) for each in missed])


def _missed_clue(missed: Missed) -> Clue:
    return Clue(missed.url, missed.reason, "", missed.at)


def _too_large(visit: Visit) -> Iterator[Problem]:
    large = [page for page in visit.good if not page.is_whole]
    if large:
        clues = [page.clue(f"only the first {page.bytes:,} bytes were read") for page in large]
        yield Problem("pages_too_large", f"{_pages(large)} larger than 3 MiB: {_names(large)}.", clues)


def _product_data(visit: Visit) -> Iterator[Problem]:
    incomplete = [(page, lack) for page in visit.good for product in page.products if (lack := _lack(product))]
    if incomplete:
        clues = [page.clue(f"Product {lack}") for page, lack in incomplete]
        pages = list(dict.fromkeys(page.url for page, _ in incomplete))
        yield Problem(
            "product_data_incomplete",
            f"Structured data of products lacks price or currency on {len(pages)} of {len(visit.good)} pages.",
            clues,
        )


def _lack(product: Mapping[str, object]) -> str:
    """Return what a product's offers lack; "" for complete ones and for a group, whose variants have the offers."""
    if "hasVariant" in product:
        return ""
    offers = product.get("offers")
    listed = [each for each in (offers if isinstance(offers, list) else [offers]) if isinstance(each, dict)]
    if not listed:
        return "without offers"
    for offer in listed:
        specified = offer.get("priceSpecification")
        parts = [
            offer,
            *(each for each in (specified if isinstance(specified, list) else [specified]) if isinstance(each, dict)),
        ]
        if not any(part.get(name) not in (None, "") for part in parts for name in ("price", "lowPrice")):
            return "without price"
        if not any(part.get("priceCurrency") for part in parts):
            return "without priceCurrency"
    return ""


def _mixed(visit: Visit) -> Iterator[Problem]:
    mixed = [
        (page, url)
        for page in visit.good
        if page.url.startswith("https:")
        for url in page.loaded
        if url.startswith("http:")
    ]
    if mixed:
        pages = list(dict.fromkeys(page.url for page, _ in mixed))
        message = f"{len(pages)} of {len(visit.good)} pages load files over http, such as {mixed[0][1][:200]}."
        yield Problem("mixed_content", message, [page.clue(f"loads {url}") for page, url in mixed])


def _images(visit: Visit) -> Iterator[Problem]:
    lacking = [page for page in visit.good if page.images_without_alternative]
    if lacking:
        count = sum(len(page.images_without_alternative) for page in lacking)
        total = sum(page.images for page in visit.good)
        clues = [page.clue(f"img without alt: {page.images_without_alternative[0]}") for page in lacking]
        yield Problem("images_without_alternative", f"{count} of {total} images have no `alt`.", clues)


def _titles(visit: Visit) -> Iterator[Problem]:
    long = [page for page in visit.good if len(page.title) > MAX_TITLE]
    if long:
        clues = [page.clue(f"{len(page.title)} characters: {page.title}") for page in long]
        yield Problem("titles_too_long", f"{_pages(long)} titled with more than {MAX_TITLE} characters.", clues)


def _sitemap(visit: Visit) -> Iterator[Problem]:
    if visit.notes:
        clues = [visit.home.clue(note) for note in visit.notes]
        yield Problem("sitemap_unusable", f"{'; '.join(visit.notes[:MAX_CLUES])}.", clues)


def _tag_managers(detections: Sequence[Detection]) -> Iterator[Problem]:
    managers = [each for each in detections if each.kind == "tag_manager"]
    containers = [container for each in managers for container in each.details.get("id", [each.key])]
    if len(containers) > 1:
        names = ", ".join(_with_ids(each) for each in managers)
        clues = [clue for each in managers for clue in each.clues]
        yield Problem("several_tag_managers", f"The pages load {len(containers)} tag managers: {names}.", clues)


def _with_ids(tool: Detection) -> str:
    ids = tool.details.get("id")
    return f"{tool.name} ({', '.join(ids)})" if ids else tool.name


def _consent(visit: Visit, detections: Sequence[Detection]) -> Iterator[Problem]:
    if any(each.kind == "consent" for each in detections):
        return
    setting = [page for page in visit.good if page.cookies]
    if setting:
        names = ", ".join(list(dict.fromkeys(name for page in setting for name in page.cookies))[:MAX_CLUES])
        clues = [page.clue(f"sets the cookies {', '.join(page.cookies[:20])}") for page in setting]
        message = (
            f"The store sets cookies ({names}) on a first visit, and none of the known consent providers was seen."
        )
        yield Problem("consent_missing", message, clues)


def _platforms(detections: Sequence[Detection]) -> Iterator[Problem]:
    platforms = [each for each in detections if each.kind == "platform"]
    if len(platforms) > 1:
        names = " and ".join(each.name for each in platforms)
        clues = [clue for each in platforms for clue in each.clues[:2]]
        yield Problem("platform_ambiguous", f"The pages have signs of {names}.", clues)


def _share(some: Sequence[object], every: Sequence[object]) -> str:
    return f"{len(some)} of {len(every)} pages" if len(every) > 1 else "the home page"


def _count(pages: Sequence[StorePage]) -> str:
    return "1 page answers" if len(pages) == 1 else f"{len(pages)} pages answer"


def _pages(pages: Sequence[StorePage]) -> str:
    return "1 page is" if len(pages) == 1 else f"{len(pages)} pages are"


def _names(pages: Sequence[StorePage]) -> str:
    return ", ".join(page.url for page in pages[:MAX_CLUES])


_CHECKS: tuple[Callable[[Visit], Iterator[Problem]], ...] = (
    _snippet,
    _failing,
    _missed,
    _too_large,
    _product_data,
    _mixed,
    _images,
    _titles,
    _sitemap,
)
