"""Ideas of the backlog on the wire."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Unique, Uuid
from abtest.contract.names import READABLE, Name
from abtest.domain.backlog.ideas import Idea as Aggregate
from abtest.domain.backlog.ideas import IdeaLink as Link
from abtest.domain.backlog.ideas import LinkType, Stage
from abtest.domain.experiments.model import Experiment

MAX_ORDERED = 500

Points = Annotated[int, Field(ge=1, le=10)]
Tag = Annotated[str, Field(min_length=1, max_length=50), READABLE]
Tags = Annotated[list[Tag], Field(max_length=20), Unique]
Prose = Annotated[str, Field(max_length=10_000)]

_EXAMPLE: dict[str, Any] = {
    "title": "Show free shipping above the fold",
    "hypothesis": "Visitors leave because they fear the cost of shipping.",
    "impact": 8,
    "confidence": 6,
    "ease": 9,
    "tags": ["checkout"],
}


class _Fields(Input):
    """Fields that creation and change share."""

    hypothesis: Prose | None = ABSENT
    stage: Stage = ABSENT
    impact: Points | None = ABSENT
    confidence: Points | None = ABSENT
    ease: Points | None = ABSENT
    tags: Tags = ABSENT
    evidence: Prose | None = ABSENT


class IdeaCreate(_Fields):
    """A new idea; it comes last in the order of the backlog."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    title: Name


class IdeaUpdate(_Fields):
    """Changes to an idea. Absent fields keep their value, null clears one."""

    title: Name = ABSENT


class IdeaOrder(Input):
    """Ideas in the order in which they come first; all others stay behind them as they are."""

    ids: Annotated[list[Uuid], Field(min_length=1, max_length=MAX_ORDERED), Unique]


class IdeaLinkCreate(Input):
    """An experiment that tests the idea (`primary`), or goes on from it (`follow_up`)."""

    experiment_id: Uuid
    link_type: LinkType


class BacklogExperimentLink(Output):
    """The link of an idea to an experiment."""

    id: Id
    backlog_item_id: Id
    experiment_id: Id
    shop_id: Id
    link_type: LinkType
    created_by: Id | None
    created_at: DateTime

    @classmethod
    def of(cls, idea: Aggregate, link: Link, **more: Any) -> Self:
        """Return the response of a link."""
        return cls(
            id=link.id,
            backlog_item_id=idea.id,
            experiment_id=link.experiment_id,
            shop_id=idea.shop_id,
            link_type=link.link_type,
            created_by=link.created_by,
            created_at=link.created_at,
            **more,
        )


class IdeaExperiment(BacklogExperimentLink):
    """The link with what became of the experiment; `outcome` and `learning` are those of a completed one."""

    experiment_name: str
    experiment_status: str
    outcome: str | None
    learning: str | None


class IdeaLinkResponse(Output):
    """The new link."""

    link: BacklogExperimentLink


class IdeaDetachResponse(Output):
    """The idea that lost its link."""

    detached: Literal[True]
    backlog_item_id: Id


class Idea(Output):
    """An idea of the backlog. Lists omit `links`."""

    id: Id
    shop_id: Id
    key: str
    title: str
    hypothesis: str | None
    stage: Stage
    impact: int | None
    confidence: int | None
    ease: int | None
    score: float | None
    tags: list[str]
    evidence: str | None
    links: list[IdeaExperiment] = ABSENT
    created_by: Id | None
    created_at: DateTime
    updated_at: DateTime
    archived_at: DateTime | None

    @classmethod
    def of(cls, idea: Aggregate, experiments: Mapping[str, Experiment] | None = None) -> Self:
        """Return the response of an idea; with its experiments by id, also the links to those that exist."""
        links = {} if experiments is None else {"links": _links(idea, experiments)}
        return cls(
            id=idea.id,
            shop_id=idea.shop_id,
            key=idea.key,
            title=idea.title,
            hypothesis=idea.hypothesis,
            stage=idea.stage,
            impact=idea.impact,
            confidence=idea.confidence,
            ease=idea.ease,
            score=idea.score,
            tags=list(idea.tags),
            evidence=idea.evidence,
            created_by=idea.created_by,
            created_at=idea.created_at,
            updated_at=idea.updated_at,
            archived_at=idea.archived_at,
            **links,
        ).at(idea.version, shows_others=bool(links and idea.links))


def _links(idea: Aggregate, experiments: Mapping[str, Experiment]) -> list[IdeaExperiment]:
    linked = [(link, experiments[link.experiment_id]) for link in idea.links if link.experiment_id in experiments]
    return [
        IdeaExperiment.of(
            idea,
            link,
            experiment_name=experiment.name,
            experiment_status=experiment.status,
            outcome=experiment.outcome if experiment.status == "completed" else None,
            learning=experiment.learning if experiment.status == "completed" else None,
        )
        for link, experiment in linked
    ]
