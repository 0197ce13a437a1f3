"""The limits in docs/api-conventions.md and docs/edge.md are those of the code."""

import re
from pathlib import Path

import pytest

from abtest.contract.page_rules import MAX_RULES
from abtest.domain.credentials.lifecycle import MAX_LIVE_KEYS
from abtest.domain.experiments import limits
from abtest.domain.settings.environments import MAX_DOMAINS, MAX_ENVIRONMENTS
from abtest.domain.signals.model import MAX_BYTES, MAX_TRIGGERS
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS
from abtest.edge import assign, assign_request
from abtest.http.admission import EXPENSIVE_PER_MINUTE, REQUESTS_PER_MINUTE

DOCS = Path(__file__).parents[3] / "docs"
CONVENTIONS = (DOCS / "api-conventions.md").read_text()
EDGE = (DOCS / "edge.md").read_text()
IN_USE = f"{limits.MIN_VARIATIONS} to {limits.MAX_VARIATIONS} in use"
VARIATIONS = f"{IN_USE}, {limits.MAX_STORED_VARIATIONS} with archived ones"


def row(page: str, first: str) -> str:
    """The second cell of the table row with this first cell."""
    match = re.search(rf"^\| {re.escape(first)} \| (.+?) \|$", page, re.MULTILINE)
    assert match, first
    return match[1]


@pytest.mark.parametrize(
    ("first", "limit"),
    [
        ("goals of an experiment", f"{limits.MAX_GOALS}"),
        ("variations of an experiment", VARIATIONS),
        ("page rules; URL rules of each", f"{MAX_RULES}; {MAX_RULES}"),
        ("data-layer triggers", f"{MAX_TRIGGERS} per shop, {MAX_BYTES:,} bytes each"),
        ("webhooks", f"{MAX_WEBHOOKS} per shop"),
        ("environments", f"{MAX_ENVIRONMENTS}, besides `production`; {MAX_DOMAINS} domains each"),
        ("requests of a key", f"{REQUESTS_PER_MINUTE} a minute, {EXPENSIVE_PER_MINUTE} to expensive routes"),
    ],
)
def test_conventions__limit__is_that_of_the_code(first: str, limit: str) -> None:
    assert row(CONVENTIONS, first) == limit


@pytest.mark.parametrize(
    ("first", "limit"),
    [
        (
            "attributes",
            f"{assign_request.MAX_ATTRIBUTES_BYTES // 1024} KB, {assign_request.MAX_ATTRIBUTES_DEPTH} levels",
        ),
        (
            "`experiment_ids`, `force`; `sticky` as an object",
            f"{assign_request.MAX_FORCED}; {assign_request.MAX_STICKY}",
        ),
        ("body", f"{assign_request.MAX_BODY_BYTES // 1024} KB (413)"),
        ("requests", f"{assign.REQUESTS_PER_WINDOW:,} a minute and shop"),
    ],
)
def test_edge__limit__is_that_of_the_code(first: str, limit: str) -> None:
    assert row(EDGE, first) == limit


def test_conventions__keys_and_approvals__have_the_limits_of_the_code() -> None:
    assert f"A shop has at most {MAX_LIVE_KEYS} live keys." in CONVENTIONS
    assert f"keeps at most {limits.MAX_APPROVAL_EVENTS} approval events" in CONVENTIONS
