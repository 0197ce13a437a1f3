"""Publication of several environments: which are written, in which order, and what races and crashes leave behind."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.delivery.environments import MAX_ENVIRONMENTS
from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.services.publication import PublicationOutcome
from tests.support.delivered import flag, item_id, keep, personalization
from tests.support.memory import MemoryBlobs
from tests.support.storefronts import SHOP_ID, Storefront, experiment


@pytest.fixture
def storefront() -> Storefront:
    return Storefront()


def publish(storefront: Storefront) -> PublicationOutcome:
    return storefront.publication.publish(SHOP_ID)


def config(storefront: Storefront, environment: str = "production") -> dict[str, Any] | None:
    pointer = storefront.blobs.get(pointer_key(SHOP_ID, environment))
    if pointer is None:
        return None
    found = storefront.blobs.get(object_key(read_pointer(pointer.content).config.sha256))
    assert found is not None
    config: dict[str, Any] = json.loads(found.content)
    return config


def names(storefront: Storefront, environment: str) -> list[str] | None:
    """Everything that the environment delivers, by name or key; None when it was never published."""
    found = config(storefront, environment)
    if found is None:
        return None
    flags = [each["key"] for each in found.get("flags", ())]
    return [each["name"] for each in [*found["experiments"], *found.get("personalizations", ())]] + flags


def environments(storefront: Storefront) -> tuple[str, ...]:
    pointer = storefront.blobs.get(pointer_key(SHOP_ID))
    assert pointer is not None
    return read_pointer(pointer.content).environments


def staging(number: int = 1, **fields: Any) -> Any:
    return flag(number, environment_key="staging", **fields)


# ------------------------------------------------------------------ which are published


def test_publish__with_things_in_several_environments__serves_each_its_own(storefront: Storefront) -> None:
    storefront.keep(experiment())
    keep(storefront.catalog, flag(1))
    keep(storefront.catalog, staging(2))
    keep(storefront.catalog, personalization(environment_key="preview"))
    assert publish(storefront) == PublicationOutcome(ok=True, revision=1, reasons=[])
    assert names(storefront, "production") == ["Experiment 1", "flag-1"]
    assert names(storefront, "staging") == ["Experiment 1", "flag-2"]
    assert names(storefront, "preview") == ["Experiment 1", "Personalization 1"]
    assert environments(storefront) == ("production", "preview", "staging")


def test_publish__without_anything_in_other_environments__serves_production_alone(storefront: Storefront) -> None:
    keep(storefront.catalog, staging(status="draft"))
    keep(storefront.catalog, personalization(environment_key="preview", status="paused"))
    assert publish(storefront).ok
    assert environments(storefront) == ("production",)
    assert names(storefront, "staging") is names(storefront, "preview") is None


def test_publish__after_an_environment_lost_everything__serves_it_without(storefront: Storefront) -> None:
    keep(storefront.catalog, personalization(environment_key="staging"))
    publish(storefront)
    keep(storefront.catalog, personalization(environment_key="staging", status="archived"))
    storefront.keep(experiment())
    publish(storefront)
    assert names(storefront, "staging") == ["Experiment 1"]
    storefront.keep(experiment(status="paused"))
    publish(storefront)
    assert names(storefront, "staging") == []


def test_publish__unchanged__writes_a_pointer_for_each_environment_and_nothing_else() -> None:
    class Noting(MemoryBlobs):
        def put(self, key: str, content: bytes, **options: Any) -> str:
            keys.append(key)
            return super().put(key, content, **options)

    keys: list[str] = []
    storefront = Storefront(blobs=Noting())
    keep(storefront.catalog, staging())
    publish(storefront)
    keys.clear()
    publish(storefront)
    assert keys == [pointer_key(SHOP_ID), pointer_key(SHOP_ID, "staging")]


def test_publish__of_more_environments_than_there_may_be__says_which_is_left_out(storefront: Storefront) -> None:
    for number in range(MAX_ENVIRONMENTS):
        keep(storefront.catalog, flag(number, environment_key=f"e{number:02d}"))
    outcome = publish(storefront)
    assert outcome.ok
    assert outcome.reasons == ["environment 'e11' is left out: a shop has at most 12"]
    assert len(environments(storefront)) == MAX_ENVIRONMENTS
    assert names(storefront, "e10") == ["flag-10"]
    assert names(storefront, "e11") is None


@pytest.mark.parametrize("name", ["../x", "Staging", "", "x" * 49])
def test_publish__of_an_impossible_environment__says_so_and_writes_nothing_there(
    storefront: Storefront, name: str
) -> None:
    keep(storefront.catalog, flag(environment_key=name))
    outcome = publish(storefront)
    assert outcome.ok
    assert outcome.reasons == [f"environment {name!r} is left out: it has no name that an environment can have"]
    assert [key for key in storefront.blobs.objects if key.startswith("pointers/")] == [pointer_key(SHOP_ID)]


def filled(storefront: Storefront) -> None:
    """As many environments as there may be, one of them without anything in it any more."""
    for number in range(1, MAX_ENVIRONMENTS):
        keep(storefront.catalog, flag(number, environment_key=f"e{number:02d}"))
    storefront.keep(experiment())
    publish(storefront)
    keep(storefront.catalog, flag(5, environment_key="e05", status="archived"))
    publish(storefront)


def test_publish__with_a_new_environment_and_no_room__empties_one_that_is_not_in_use(storefront: Storefront) -> None:
    filled(storefront)
    assert names(storefront, "e05") == ["Experiment 1"]
    keep(storefront.catalog, flag(50, environment_key="new"))
    outcome = publish(storefront)
    assert (outcome.ok, outcome.reasons) == (True, [])
    assert names(storefront, "new") == ["Experiment 1", "flag-50"]
    assert names(storefront, "e05") == []
    assert "e05" not in environments(storefront)


def test_publish__with_a_retired_environment_in_use_again__serves_it_again(storefront: Storefront) -> None:
    filled(storefront)
    keep(storefront.catalog, flag(50, environment_key="new"))
    publish(storefront)
    keep(storefront.catalog, flag(50, environment_key="new", status="archived"))
    keep(storefront.catalog, flag(5, environment_key="e05"))
    publish(storefront)
    assert names(storefront, "e05") == ["Experiment 1", "flag-5"]
    assert names(storefront, "new") == []


def test_publish__of_an_environment_that_is_too_large__fails_for_it_alone(storefront: Storefront) -> None:
    keep(storefront.catalog, staging())
    publish(storefront)
    keep(storefront.catalog, staging(on_value="x" * (2 << 20)))
    keep(storefront.catalog, flag(2, environment_key="zulu"))
    storefront.keep(experiment())
    outcome = publish(storefront)
    assert (outcome.ok, outcome.retriable) == (False, False)
    assert [reason.split(":")[0] for reason in outcome.reasons] == ["code_budget_exceeded"]
    assert names(storefront, "production") == ["Experiment 1"]
    assert names(storefront, "staging") == ["flag-1"]
    assert names(storefront, "zulu") == ["Experiment 1", "flag-2"]


# ------------------------------------------------------------------ races and crashes


class Interrupting(MemoryBlobs):
    """A bucket that does something once, before the first write to a key."""

    def __init__(self, objects: MemoryBlobs, before: str, action: Callable[[], None]) -> None:
        super().__init__()
        self.objects = objects.objects
        self._before: str | None = before
        self._action = action

    def put(self, key: str, content: bytes, **options: Any) -> str:
        if key == self._before:
            self._before = None
            self._action()
        return super().put(key, content, **options)


class CrashError(Exception):
    """The process dies here."""


def interrupted(storefront: Storefront, environment: str, action: Callable[[], None]) -> PublicationOutcome:
    """Publish, with something else happening just before the environment's pointer is written."""
    storefront.blobs = Interrupting(storefront.blobs, pointer_key(SHOP_ID, environment), action)
    return publish(storefront)


def crash() -> None:
    raise CrashError


def test_publish__dying_between_two_environments__is_made_good_by_the_next(storefront: Storefront) -> None:
    keep(storefront.catalog, staging())
    assert not interrupted(storefront, "staging", crash).ok
    assert names(storefront, "staging") is None
    assert environments(storefront) == ("production", "staging")
    assert publish(storefront).ok
    assert names(storefront, "staging") == ["flag-1"]


@pytest.mark.parametrize(("environment", "left"), [("production", None), ("staging", [])])
def test_publish__overtaken_while_an_environment_appears__does_not_bring_the_old_state_back(
    storefront: Storefront, environment: str, left: list[str] | None
) -> None:
    """The newer publication knows of no flag in staging; it must nevertheless have the last word there."""

    def newer() -> None:
        keep(storefront.catalog, staging(status="archived"))
        assert publish(storefront).ok

    keep(storefront.catalog, staging())
    assert interrupted(storefront, environment, newer).ok
    assert names(storefront, "staging") == left


def test_publish__overtaken_by_one_that_died__brings_the_other_environments_up_to_date(storefront: Storefront) -> None:
    keep(storefront.catalog, staging())
    publish(storefront)

    def newer_that_dies() -> None:
        assert not interrupted(storefront, "staging", crash).ok

    keep(storefront.catalog, staging(2))
    assert interrupted(storefront, "production", newer_that_dies).ok
    assert names(storefront, "staging") == ["flag-1", "flag-2"]


def test_publish__dying_while_it_retires_an_environment__does_not_forget_it(storefront: Storefront) -> None:
    filled(storefront)
    keep(storefront.catalog, flag(50, environment_key="new"))
    assert not interrupted(storefront, "e05", crash).ok
    assert "e05" in environments(storefront)
    assert publish(storefront).ok
    assert (names(storefront, "e05"), names(storefront, "new")) == ([], ["Experiment 1", "flag-50"])


def test_publish__overtaken_by_one_that_retires_its_environment__leaves_that_empty(storefront: Storefront) -> None:
    filled(storefront)

    def newer() -> None:
        keep(storefront.catalog, flag(5, environment_key="e05", status="archived"))
        keep(storefront.catalog, flag(50, environment_key="new"))
        assert publish(storefront).ok

    keep(storefront.catalog, flag(5, environment_key="e05"))
    assert interrupted(storefront, "e05", newer).ok
    assert names(storefront, "e05") == []
    assert names(storefront, "new") == ["Experiment 1", "flag-50"]


def test_publish__over_a_pointer_that_names_no_environments__goes_on_from_there(storefront: Storefront) -> None:
    publish(storefront)
    key = pointer_key(SHOP_ID)
    found = storefront.blobs.get(key)
    assert found is not None
    older = {name: value for name, value in json.loads(found.content).items() if name != "environments"}
    storefront.blobs.put(key, json.dumps(older).encode(), content_type="application/json")
    keep(storefront.catalog, staging())
    assert publish(storefront).ok
    assert environments(storefront) == ("production", "staging")
    assert item_id(1) == (config(storefront, "staging") or {})["flags"][0]["id"]
