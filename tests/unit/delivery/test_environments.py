"""Which environments are published: those in use, those that were, and no more than there may be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.delivery.environments import MAX_ENVIRONMENTS, Plan, is_environment, planned

OTHERS = st.sampled_from([f"e{number:02d}" for number in range(16)])
NAMES = OTHERS | st.sampled_from(["production", "Staging", "../x", ""])


def many(count: int) -> list[str]:
    return [f"e{number:02d}" for number in range(count)]


@pytest.mark.parametrize("name", ["production", "a", "0", "_", "-", "a_b-c", "x" * 48])
def test_environment__may_have_this_name(name: str) -> None:
    assert is_environment(name)


@pytest.mark.parametrize("name", ["", "x" * 49, "Staging", "a b", "a/b", "..", "a.b", "é", "a\n", "٣"])
def test_environment__may_not_have_this_name(name: str) -> None:
    assert not is_environment(name)


def test_plan__of_a_new_shop__is_the_default_environment() -> None:
    assert planned([], []) == Plan(published=("production",), retired=(), refused=())


def test_plan__of_an_environment_that_lost_everything__publishes_it_still() -> None:
    assert planned([], ["production", "staging"]).published == ("production", "staging")


def test_plan__of_as_many_environments_as_there_may_be__publishes_all() -> None:
    plan = planned(many(MAX_ENVIRONMENTS - 1), [])
    assert plan == Plan(published=("production", *many(MAX_ENVIRONMENTS - 1)), retired=(), refused=())


def test_plan__of_one_too_many__refuses_the_newcomer() -> None:
    standing = ["production", *many(MAX_ENVIRONMENTS)[1:]]
    plan = planned(many(MAX_ENVIRONMENTS), standing)
    assert (plan.published, plan.retired, plan.refused) == (tuple(standing), (), ("e00",))


def test_plan__of_a_newcomer_without_room__retires_one_that_is_not_in_use() -> None:
    standing = ["production", *many(MAX_ENVIRONMENTS - 1)]
    in_use = ["new", *many(MAX_ENVIRONMENTS - 1)[:-1]]
    plan = planned(in_use, standing)
    assert plan.retired == ("e10",)
    assert (set(plan.published), plan.refused) == ({"production", *in_use}, ())


def test_plan__with_an_impossible_name__refuses_it() -> None:
    assert planned(["../production", "ok"], []) == Plan(
        published=("production", "ok"), retired=(), refused=("../production",)
    )


@given(in_use=st.sets(NAMES), others=st.lists(OTHERS, unique=True, max_size=MAX_ENVIRONMENTS - 1))
def test_plan__of_anything__keeps_its_promises(in_use: set[str], others: list[str]) -> None:
    standing = ["production", *others] if others else []
    plan = planned(in_use, standing)
    assert plan.published[0] == "production"
    assert len(plan.published) == len(set(plan.published)) <= MAX_ENVIRONMENTS
    assert all(map(is_environment, plan.published))
    assert (in_use | set(standing) | {"production"}) == {*plan.published, *plan.retired, *plan.refused}
    assert not set(plan.retired) & in_use
    assert set(plan.refused) <= in_use
    assert not set(plan.refused) & set(standing)
    assert planned(in_use, plan.published).published == plan.published


def test_plan__of_declared_environments__publishes_them_first_and_all() -> None:
    plan = planned(["flagged"], ["production", *many(11)], ["mine", "production"])
    assert plan.published == ("production", "mine", "flagged", *many(9))
    assert (plan.retired, plan.refused) == (("e09", "e10"), ())


def test_plan__of_as_many_declared_as_there_may_be__has_production_besides() -> None:
    plan = planned(["flagged"], ["production", "old"], many(MAX_ENVIRONMENTS))
    assert plan == Plan(published=("production", *many(MAX_ENVIRONMENTS)), retired=("old",), refused=("flagged",))


@given(
    in_use=st.sets(NAMES),
    others=st.lists(OTHERS, unique=True, max_size=MAX_ENVIRONMENTS - 1),
    declared=st.lists(OTHERS | st.just("production"), unique=True, max_size=MAX_ENVIRONMENTS),
)
def test_plan__of_anything_declared__keeps_its_promises(
    in_use: set[str], others: list[str], declared: list[str]
) -> None:
    standing = ["production", *others]
    plan = planned(in_use, standing, declared)
    assert set(declared) <= set(plan.published)
    assert len(plan.published) == len(set(plan.published)) <= max(MAX_ENVIRONMENTS, len({*declared, "production"}))
    assert {*in_use, *standing, *declared} == {*plan.published, *plan.retired, *plan.refused}
    assert not set(plan.retired) & (in_use | set(declared))
    assert set(plan.refused) <= in_use
