"""The idea aggregate: its score, its links to experiments, and the stages that these move."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from abtest.kit.clock import Timestamp
from abtest.kit.errors import ConflictError, FieldError, LimitReachedError, NotFoundError, ServiceError

Stage = Literal["new", "triaged", "planned", "in_test", "done", "rejected"]
LinkType = Literal["primary", "follow_up"]
ExperimentEvent = Literal["launched", "completed"]
"""What becomes of an experiment, as far as the stage of its idea follows."""

MAX_LINKS = 40
"""Experiments that one idea may have."""

MAX_IDEAS_OF_EXPERIMENT = 5
"""Ideas that one experiment may have. Its deletion changes all of them in one transaction, as that of an idea does."""

_STAGE_AFTER: Mapping[ExperimentEvent, Stage] = {"launched": "in_test", "completed": "done"}
_STAGE_BY_STATUS: Mapping[str, Stage] = {"running": "in_test", "paused": "in_test", "completed": "done"}


class PrimaryLinkExistsError(ServiceError):
    """The idea has a primary experiment, or the experiment is that of another idea."""

    status = 409
    code = "primary_link_exists"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdeaLink:
    """An experiment that tests an idea (primary) or goes on from it (follow-up)."""

    id: str
    experiment_id: str
    link_type: LinkType
    created_by: str | None
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class IdeaOfExperiment:
    """An idea as its experiment has it."""

    idea_id: str
    link_type: LinkType
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class IdeasOfExperiment:
    """The ideas of one experiment, in the order in which they were linked; `had_any` is True from the first one on."""

    ideas: tuple[IdeaOfExperiment, ...] = ()
    had_any: bool = False

    @property
    def shown(self) -> IdeaOfExperiment | None:
        """The idea with the primary link, else the one that was linked first."""
        return next((each for each in self.ideas if each.link_type == "primary"), next(iter(self.ideas), None))

    def refuse_full(self) -> None:
        """Raise LimitReachedError where one more would be too many."""
        if len(self.ideas) >= MAX_IDEAS_OF_EXPERIMENT:
            raise LimitReachedError(
                f"an experiment has at most {MAX_IDEAS_OF_EXPERIMENT} ideas; remove one of its links first",
                fields=[FieldError("experiment_id", f"has {MAX_IDEAS_OF_EXPERIMENT} ideas")],
            )

    def with_link(self, idea_id: str, link: IdeaLink) -> "IdeasOfExperiment":
        """Return them with one more."""
        added = IdeaOfExperiment(idea_id=idea_id, link_type=link.link_type, created_at=link.created_at)
        return IdeasOfExperiment(ideas=(*self.ideas, added), had_any=True)

    def without(self, idea_id: str) -> "IdeasOfExperiment":
        """Return them without one."""
        return replace(self, ideas=tuple(each for each in self.ideas if each.idea_id != idea_id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """One idea of a shop. `key` is unique in the shop and never used again."""

    id: str
    shop_id: str
    version: int = 0
    key: str
    title: str
    hypothesis: str | None = None
    stage: Stage = "new"
    impact: int | None = None
    confidence: int | None = None
    ease: int | None = None
    tags: tuple[str, ...] = ()
    evidence: str | None = None
    links: tuple[IdeaLink, ...] = ()
    created_by: str | None = None
    created_at: Timestamp
    updated_at: Timestamp
    archived_at: Timestamp | None = None

    @property
    def score(self) -> float | None:
        """ICE: impact times confidence times ease, over 10; None until all three are known. From 0.1 to 100."""
        if self.impact is None or self.confidence is None or self.ease is None:
            return None
        return self.impact * self.confidence * self.ease / 10

    @property
    def primary(self) -> IdeaLink | None:
        """The link to the experiment that tests the idea."""
        return next((link for link in self.links if link.link_type == "primary"), None)


def idea_key(number: int) -> str:
    """Return the key of the shop's idea with this number."""
    return f"IDEA-{number}"


def number_of(key: str) -> int:
    """Return the number in a key."""
    return int(key.rpartition("-")[2])


def edited(idea: Idea, changes: Mapping[str, Any], now: Timestamp) -> Idea:
    """Return the idea with these fields; the same one when nothing differs."""
    fields = {**changes, "tags": tuple(changes["tags"])} if "tags" in changes else dict(changes)
    return _changed(idea, now, **fields)


def archived(idea: Idea, *, is_archived: bool, now: Timestamp) -> Idea:
    """Return the idea out of the lists or back in them, with its key, its stage and its links."""
    if (idea.archived_at is not None) == is_archived:
        return idea
    return _changed(idea, now, archived_at=now if is_archived else None)


def linked(idea: Idea, link: IdeaLink, *, experiment_status: str, now: Timestamp) -> Idea:
    """Return the idea with one more experiment. A primary one moves an idea that is new or triaged.

    Raises PrimaryLinkExistsError, LimitReachedError, and ConflictError for an experiment that is linked already.
    """
    if any(each.experiment_id == link.experiment_id for each in idea.links):
        raise ConflictError(f"{idea.key} is linked to this experiment; remove that link first")
    if link.link_type == "primary" and idea.primary is not None:
        raise PrimaryLinkExistsError(f"{idea.key} has a primary experiment; link this one as a follow_up")
    if len(idea.links) >= MAX_LINKS:
        raise LimitReachedError(
            f"an idea has at most {MAX_LINKS} experiments",
            fields=[FieldError("experiment_id", f"would be number {MAX_LINKS + 1}")],
        )
    moves = link.link_type == "primary" and idea.stage in ("new", "triaged")
    stage = _STAGE_BY_STATUS.get(experiment_status, "planned") if moves else idea.stage
    return _changed(idea, now, links=(*idea.links, link), stage=stage)


def detached(idea: Idea, experiment_id: str, now: Timestamp) -> Idea:
    """Return the idea without this experiment; without its primary one it is triaged again. Raises NotFoundError."""
    link = next((each for each in idea.links if each.experiment_id == experiment_id), None)
    if link is None:
        raise NotFoundError("the idea has no link to this experiment")
    rest = tuple(each for each in idea.links if each != link)
    return _changed(idea, now, links=rest, stage="triaged" if link.link_type == "primary" else idea.stage)


def followed(idea: Idea, event: ExperimentEvent, now: Timestamp) -> Idea:
    """Return the idea at the stage that follows from what became of its primary experiment."""
    return _changed(idea, now, stage=_STAGE_AFTER[event])


def _changed(idea: Idea, now: Timestamp, **fields: Any) -> Idea:
    after = replace(idea, **fields)
    return idea if after == idea else replace(after, updated_at=now)
