"""Experience of a shop: what its completed experiments taught, by kind of page and by kind of change."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from abtest.domain.egress.targets import UrlNotAllowedError, read
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.profiles.model import LearningRun, Lesson, LessonGroup
from abtest.domain.profiles.signatures import kind_of_path
from abtest.domain.screenshots.addresses import concrete_address
from abtest.domain.targeting.shapes import Targeting
from abtest.kit.clock import Timestamp

MAX_LESSONS = 50
"""Experiments with a row of their own, the newest ones."""

NOT_NAMED = "not_named"
"""Group of the experiments whose rules name no page without a wildcard."""

_CHANGES = {
    "text": "text",
    "setText": "text",
    "html": "markup",
    "insertBefore": "markup",
    "insertAfter": "markup",
    "remove": "removal",
    "style": "style",
    "setStyle": "style",
    "attribute": "attribute",
}


def lesson_of(experiment: Experiment, targeting: Targeting | None, domain: str) -> Lesson:
    """Return the lesson of an experiment without figures. `targeting` has the rules of the pages that it refers to."""
    address = concrete_address(targeting, f"https://{domain}") or experiment.store_url
    treatments = [each for each in experiment.variations if not each.is_control and each.archived_at is None]
    return Lesson(
        experiment_id=experiment.id,
        name=experiment.name,
        outcome=experiment.outcome,
        learning=experiment.learning,
        ended_at=experiment.ended_at,
        page_kind=_page_kind(address),
        changes=tuple(dict.fromkeys(change for each in treatments for change in _changes(each))),
    )


def _page_kind(address: str | None) -> str | None:
    try:
        return kind_of_path(read(address).path) if address else None
    except UrlNotAllowedError:
        return None


def _changes(variation: Variation) -> Iterator[str]:
    if variation.redirect_url:
        yield "redirect"
    blocks = variation.url_blocks or ()
    for mutation in (*variation.mutations, *(mutation for block in blocks for mutation in block["mutations"])):
        yield _CHANGES[mutation["action"]]
    if variation.custom_css or any(block.get("css") for block in blocks):
        yield "css"
    if variation.custom_js or any(block.get("js") for block in blocks):
        yield "javascript"


def experience(lessons: Sequence[Lesson], more: int, now: Timestamp) -> LearningRun:
    """Return the experience of these lessons, and of how many older ones there are."""
    return LearningRun(
        learned_at=now,
        lessons=tuple(lessons),
        more=more,
        by_page_kind=_grouped(lessons, lambda lesson: (lesson.page_kind or NOT_NAMED,)),
        by_change=_grouped(lessons, lambda lesson: lesson.changes),
    )


def _grouped(lessons: Sequence[Lesson], names_of: Callable[[Lesson], Iterable[str]]) -> tuple[LessonGroup, ...]:
    groups: dict[str, list[Lesson]] = {}
    for lesson in lessons:
        for name in names_of(lesson):
            groups.setdefault(name, []).append(lesson)
    return tuple(
        LessonGroup(
            name=name,
            experiments=len(members),
            won=sum(each.outcome == "won" for each in members),
            lost=sum(each.outcome == "lost" for each in members),
            inconclusive=sum(each.outcome == "inconclusive" for each in members),
        )
        for name, members in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    )
