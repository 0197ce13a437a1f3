"""Elements that several parts of the config share: goals, and shares of the traffic in bucket units."""

from collections.abc import Mapping

from abtest.domain.assignment.allocation import ranges
from abtest.domain.assignment.shapes import PublishedGoal
from abtest.domain.goals.model import Goal
from abtest.domain.targeting.compilation import NO_REFERENCES, References, compile_goal_pages
from abtest.domain.targeting.shapes import PageRules
from abtest.domain.targeting.urls import compile_rule
from abtest.kit.json_objects import present


def below(share: float) -> int:
    """Return a share of the traffic, 0..1, in bucket units; visitors of a smaller share are in each larger one."""
    ((_, end),) = ranges([1.0], share)
    return end


def goal(measured: Goal, page_rules: Mapping[str, PageRules], references: References = NO_REFERENCES) -> PublishedGoal:
    """Compile a goal as far as browsers need it. `page_rules` are those of its experiment by id."""
    page = page_rules.get(measured.page_id or "")
    # A ratio takes every hit, so the browser must send every one.
    is_once = measured.count_once and not measured.is_ratio
    published: PublishedGoal = {"id": measured.id, "type": measured.type, "once": is_once}
    published |= present(
        event=measured.event_name,
        selector=measured.selector,
        text=measured.text_match,
        url=measured.url_pattern and compile_rule("simple", measured.url_pattern),
        pages=None if page is None else compile_goal_pages(page, references),
        capture=[dict(capture) for capture in measured.capture],
    )
    return published
