"""What all parts of the config share: how absence is written, goals, schedules, the seeds of shares."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.assignment.allocation import ranges
from abtest.domain.goals.model import Goal
from abtest.domain.targeting.compilation import NO_REFERENCES, References, compile_goal_pages
from abtest.domain.targeting.urls import compile_rule
from abtest.kit.json_objects import present

Config = dict[str, Any]
PageRules = Mapping[str, Mapping[str, Any]]
"""Page rules of an experiment by id; its goals name them."""


def below(share: float) -> int:
    """A share of the traffic, 0..1, in bucket units: who is in a smaller share is in a larger one."""
    ((_, end),) = ranges([1.0], share)
    return end


def goal(measured: Goal, page_rules: PageRules, references: References = NO_REFERENCES) -> Config:
    """A goal as far as browsers need it."""
    page = page_rules.get(measured.page_id or "")
    return {"id": measured.id, "type": measured.type, "once": measured.count_once} | present(
        event=measured.event_name,
        selector=measured.selector,
        text=measured.text_match,
        url=measured.url_pattern and compile_rule("simple", measured.url_pattern),
        pages=None if page is None else compile_goal_pages(page, references),
        capture=[dict(capture) for capture in measured.capture],
    )
