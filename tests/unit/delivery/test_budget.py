"""Writes that could not be published are refused, and the answer names the budget."""

from collections.abc import Sequence
from typing import Any

import pytest

from abtest.domain.delivery.manifest import pointer_key, read_pointer
from abtest.domain.experiments.limits import MAX_CONFIG_BYTES
from abtest.domain.experiments.model import Experiment
from abtest.services.publication import TooLargeError
from abtest.services.publication.budget import CodeBudget, refuse_overweight
from tests.support.delivered import experience, flag, personalization
from tests.support.storefronts import SHOP_ID, Storefront, experiment, experiment_id, variation

PIECE = 200_000


def heavy(number: int, pieces: int, **fields: Any) -> Experiment:
    """An experiment with so many style sheets of 200,000 characters."""
    blocks = [
        {"urlRules": [{"type": "simple", "pattern": "/x"}], "mutations": [], "css": "x" * PIECE} for _ in range(pieces)
    ]
    return experiment(number, variations=(variation(0), variation(1, url_blocks=blocks)), **fields)


@pytest.fixture
def storefront() -> Storefront:
    made = Storefront()
    made.keep(heavy(1, 4))
    assert made.publication.publish(SHOP_ID).ok
    return made


@pytest.fixture
def budget(storefront: Storefront) -> CodeBudget:
    return CodeBudget(storefront.blobs)


def test_draft__over_the_budget_alone__is_refused_with_the_budgets_name(budget: CodeBudget) -> None:
    with pytest.raises(TooLargeError, match=rf"the config of the shop .* budget of {MAX_CONFIG_BYTES}") as caught:
        budget.admit_experiment(None, heavy(2, 11, status="draft"))
    assert (caught.value.status, caught.value.code) == (422, "code_budget_exceeded")


def test_draft__that_fits_alone__is_admitted_beside_what_runs(budget: CodeBudget) -> None:
    budget.admit_experiment(None, heavy(2, 9, status="draft"))


def test_draft__grown_in_steps__is_weighed_whole_at_each(budget: CodeBudget) -> None:
    budget.admit_experiment(heavy(2, 5, status="draft"), heavy(2, 9, status="draft"))
    with pytest.raises(TooLargeError):
        budget.admit_experiment(heavy(2, 9, status="draft"), heavy(2, 12, status="draft"))


def test_launch__of_more_than_fits_beside_what_runs__is_refused(budget: CodeBudget) -> None:
    with pytest.raises(TooLargeError, match="the config of the shop"):
        budget.admit_experiment(heavy(2, 9, status="draft"), heavy(2, 9))
    budget.admit_experiment(heavy(2, 5, status="draft"), heavy(2, 5))


def test_update__of_what_runs__counts_what_it_adds(budget: CodeBudget) -> None:
    budget.admit_experiment(heavy(1, 4), heavy(1, 9))
    with pytest.raises(TooLargeError):
        budget.admit_experiment(heavy(1, 4), heavy(1, 11))


def test_end__of_what_is_too_heavy__is_admitted(budget: CodeBudget) -> None:
    budget.admit_experiment(heavy(1, 12), heavy(1, 12, status="completed"))


def test_edit__that_makes_nothing_heavier__is_admitted(budget: CodeBudget) -> None:
    budget.admit_experiment(heavy(1, 12), heavy(1, 11))


def test_admitted__to_the_byte__is_published(storefront: Storefront, budget: CodeBudget) -> None:
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    left = MAX_CONFIG_BYTES - read_pointer(pointer.content).config.bytes
    empty = experiment(2, experiment_css=".")

    def of_css(count: int) -> Experiment:
        return experiment(2, experiment_css="." * count)

    fits = next(count for count in range(left, 0, -1) if _admitted(budget, empty, of_css(count)))
    storefront.keep(of_css(fits))
    assert storefront.publication.publish(SHOP_ID).ok
    storefront.keep(of_css(fits + 600))
    assert not storefront.publication.publish(SHOP_ID).ok


def _admitted(budget: CodeBudget, draft: Experiment, running: Experiment) -> bool:
    try:
        budget.admit_experiment(None, running)
    except TooLargeError:
        return False
    return draft.id == running.id == experiment_id(2)


def test_personalization__is_weighed_in_its_environment(budget: CodeBudget) -> None:
    shown: Sequence[Any] = [experience(number, custom_css="x" * PIECE) for number in range(8)]
    budget.admit_personalization(None, personalization(environment_key="staging", experiences=tuple(shown)))
    with pytest.raises(TooLargeError):
        budget.admit_personalization(None, personalization(experiences=tuple(shown)))


def test_flag__is_weighed_where_pages_are_told_of_it(budget: CodeBudget) -> None:
    big: dict[str, Any] = {"on_value": "x" * 8 * PIECE}
    with pytest.raises(TooLargeError, match="the config of the shop"):
        budget.admit_flag(None, flag(**big))
    with pytest.raises(TooLargeError):
        budget.admit_flag(flag(**big, status="draft"), flag(**big, status="paused"))
    elsewheres: list[dict[str, Any]] = [{"environment_key": "staging"}, {"delivery_type": "api"}, {"status": "draft"}]
    for elsewhere in elsewheres:
        budget.admit_flag(None, flag(**big, **elsewhere))


def test_bucket__that_does_not_answer__keeps_no_write_waiting(storefront: Storefront, budget: CodeBudget) -> None:
    storefront.blobs.available = False
    budget.admit_experiment(None, heavy(2, 9))


def test_scripts__more_than_any_budget__are_not_even_parsed() -> None:
    refuse_overweight(MAX_CONFIG_BYTES - (64 << 10))
    with pytest.raises(TooLargeError):
        refuse_overweight(MAX_CONFIG_BYTES)
