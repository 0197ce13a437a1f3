"""Copies of a personalization, without its history."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from abtest.domain.personalizations.limits import KEY_LENGTH, NAME_LENGTH
from abtest.domain.personalizations.model import Personalization
from abtest.kit.clock import Timestamp


def duplicate(
    source: Personalization,
    *,
    key: str,
    name: str | None,
    goal_ids: Mapping[str, str],
    new_id: Callable[[], str],
    now: Timestamp,
) -> Personalization:
    """Return a draft with everything that shoppers would get, under new ids; `goal_ids` has the goals' new ids."""
    return replace(
        source,
        id=new_id(),
        version=0,
        key=key,
        name=name or f"{source.name[: NAME_LENGTH - 7]} (copy)",
        status="draft",
        experiences=tuple(replace(experience, id=new_id()) for experience in source.experiences),
        rules=tuple(replace(rule, id=new_id()) for rule in source.rules),
        goals=tuple(replace(goal, id=goal_ids[goal.id], created_at=now, updated_at=now) for goal in source.goals),
        activated_at=None,
        archived_at=None,
        measurement_epoch=1,
        measurement_started_at=None,
        created_at=now,
        updated_at=now,
    )


def copy_key(key: str, attempt: int) -> str:
    """`<key>-copy`, from the second attempt on with its number, cut so that it is no longer than a key may be."""
    suffix = "-copy" if attempt == 1 else f"-copy-{attempt}"
    return f"{key[: KEY_LENGTH - len(suffix)]}{suffix}"
