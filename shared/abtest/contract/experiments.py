"""Experiments on the wire."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import (
    ABSENT,
    AsStored,
    DateTime,
    Id,
    Input,
    Moment,
    Output,
    PublicationWarning,
    PublicId,
    Uuid,
)
from abtest.contract.code import Code
from abtest.contract.consent import LiveEdit
from abtest.contract.goals import Goal, GoalCreate, GoalItem
from abtest.contract.names import Name, Slug
from abtest.contract.overrides import AutoStopOverride, GuardianOverride
from abtest.contract.page_rules import PageRuleList, PageRules
from abtest.contract.planned_test import PlannedTestSnapshot, shown_plan
from abtest.contract.targeting import ExperimentTargeting
from abtest.contract.urls import WebUrl
from abtest.contract.variations import CountedFrom, Variation, VariationInput, VariationItem
from abtest.contract.weekdays import ResultsWeekdays, WeekdaySchedule
from abtest.domain.experiments.limits import (
    MAX_GOALS,
    MAX_STORED_VARIATIONS,
    MAX_VARIATIONS,
    MIN_VARIATIONS,
)
from abtest.domain.experiments.model import (
    ApprovalStatus,
    CountingType,
    DeliveryType,
    Status,
)
from abtest.domain.experiments.model import (
    Experiment as Aggregate,
)
from abtest.kit.errors import refused
from abtest.kit.json_objects import present

Share = Annotated[float, Field(ge=0, le=1)]

ALIASES = {"type": "counting_type", "experiment_type": "delivery_type"}
"""Deprecated names of fields, accepted and returned next to the current ones."""

_STORED_NAMES = {**ALIASES, "goalPageRules": "goal_page_rules"}


class ExperimentFields(Input):
    """Fields of an experiment."""

    slug: Slug | None = ABSENT
    description: Annotated[str, Field(max_length=10_000)] | None = ABSENT
    owner_user_id: Uuid | None = ABSENT
    counting_type: CountingType = ABSENT
    type: CountingType = Field(default_factory=lambda: "standard", deprecated=True)
    delivery_type: DeliveryType = ABSENT
    experiment_type: DeliveryType = Field(default_factory=lambda: "mutation", deprecated=True)
    targeting: ExperimentTargeting | None = ABSENT
    results_weekdays: ResultsWeekdays | None = ABSENT
    traffic_allocation: Share = ABSENT
    experiment_js: Annotated[
        Code | None,
        Field(description="A function body, ECMAScript 2024; else 400 `invalid_script` with line and column."),
    ] = ABSENT
    experiment_reset_js: Code | None = ABSENT
    experiment_css: Code | None = ABSENT
    sequential_testing_enabled: bool = ABSENT
    auto_stop_override: AutoStopOverride | None = ABSENT
    guardian_override: GuardianOverride | None = ABSENT
    store_url: WebUrl | None = ABSENT
    scheduled_start_at: Annotated[Moment | None, Field(description="Needs the scope `experiments:launch`.")] = ABSENT
    goalPageRules: Annotated[PageRuleList, Field(description="Page rules that goals refer to by `page_id`.")] = ABSENT

    def provided(self) -> Any:
        """Return the fields of the request under the names of the aggregate.

        Raises ValidationFailedError when an alias and the current name have different values.
        """
        fields = super().provided()
        for alias, name in ALIASES.items():
            # Responses carry both names, so a client may send both back; they only have to agree.
            if alias in fields and fields[alias] != fields.get(name, fields[alias]):
                raise refused(alias, f"is another name of {name}, which has a different value; send only {name}")
        return {_STORED_NAMES.get(name, name): value for name, value in fields.items()}


_EXAMPLE: dict[str, Any] = {
    "name": "Banner with a date",
    "variations": [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {
            "name": "Dated",
            "weight": 0.5,
            "mutations": [{"selector": "#banner", "action": "text", "text": "Free delivery until Sunday"}],
        },
    ],
    "goals": [{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
}


class ExperimentCreate(ExperimentFields):
    """A new experiment. Without variations it gets Control and Variant at equal weights."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    name: Name
    variations: Annotated[list[VariationInput], Field(min_length=MIN_VARIATIONS, max_length=MAX_VARIATIONS)] = ABSENT
    goals: Annotated[list[GoalCreate], Field(max_length=MAX_GOALS)] = ABSENT
    idea_id: Uuid = ABSENT


class ExperimentUpdate(ExperimentFields, LiveEdit):
    """Changes to an experiment (JSON merge); absent fields keep their value.

    `variations` and `goals` replace the whole list, in its order. Existing items are named by `id` and keep fields that
    are absent; items that are not named are deleted before the first start and archived afterwards.
    """

    name: Name = ABSENT
    variations: Annotated[list[VariationItem], Field(min_length=MIN_VARIATIONS, max_length=MAX_STORED_VARIATIONS)] = (
        ABSENT
    )
    goals: Annotated[list[GoalItem], Field(max_length=MAX_GOALS)] = ABSENT


class Duplication(Input):
    """Options of a copy."""

    name: Name = ABSENT
    include_goals: bool = ABSENT


class IdeaExperimentCreate(Input):
    """Name and description of an experiment that is made of an idea, in place of those of the idea."""

    name: Name = ABSENT
    description: Annotated[str, Field(max_length=10_000)] | None = ABSENT


class ApprovalState(Output):
    """Status of the design's approval."""

    status: ApprovalStatus
    updated_at: DateTime


class LinkedIdea(Output):
    """The idea of the backlog that the experiment tests: the one with the primary link, else the one linked first."""

    key: str | None
    title: str
    stage: str


class Experiment(Output):
    """An experiment with its variations and goals. `linked_idea` is in single reads and after the creation only."""

    id: Id
    public_id: PublicId | None
    slug: str | None
    name: str
    description: str | None
    owner_user_id: Id | None
    status: Status
    counting_type: CountingType
    delivery_type: DeliveryType
    type: CountingType = Field(deprecated=True)
    experiment_type: DeliveryType = Field(deprecated=True)
    targeting: Annotated[Any, AsStored(ExperimentTargeting | None)]
    weekday_schedule: Annotated[Any, AsStored(WeekdaySchedule | None)]
    results_weekdays: Annotated[Any, AsStored(ResultsWeekdays | None)]
    traffic_allocation: float
    experiment_js: str | None
    experiment_reset_js: str | None
    experiment_css: str | None
    sequential_testing_enabled: bool
    auto_stop_override: Annotated[Any, AsStored(AutoStopOverride)]
    guardian_override: Annotated[Any, AsStored(GuardianOverride)]
    planned_test: Annotated[Any, AsStored(PlannedTestSnapshot | None)]
    store_url: str | None
    scheduled_start_at: DateTime | None
    started_at: DateTime | None
    ended_at: DateTime | None
    archived_at: DateTime | None
    approval_state: ApprovalState | None
    linked_idea: LinkedIdea | None = ABSENT
    created_at: DateTime
    variations: list[Variation]
    goals: list[Goal]
    goalPageRules: Annotated[list[Any], AsStored(list[PageRules])]
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def listed(cls, experiment: Aggregate) -> Self:
        """Return an experiment of a list."""
        return cls(**experiment_fields(experiment)).at(experiment.version)

    @classmethod
    def single(cls, experiment: Aggregate, warning: PublicationWarning | None = None, **measurement: Any) -> Self:
        """Return an experiment of single reads and writes."""
        fields = {
            **experiment_fields(experiment),
            **present(publication_warning=warning),
            **measurement,
        }
        return cls(**fields).at(experiment.version)


class ApprovalRequested(Experiment):
    """An experiment whose approval is requested. `screenshot_job_id` is the job that takes its pictures, if any."""

    screenshot_job_id: Id = ABSENT

    @classmethod
    def after(cls, experiment: Aggregate) -> Self:
        """Return the experiment with the job that its request for approval names."""
        event = experiment.approvals[-1] if experiment.approvals else None
        return cls.single(experiment, **present(screenshot_job_id=event.screenshot_job_id if event else None))


class UpdatedExperiment(Experiment, CountedFrom):
    """An experiment after an edit, and its current measurement."""

    @classmethod
    def after(cls, experiment: Aggregate, warning: PublicationWarning | None) -> Self:
        """Return the experiment with its measurement."""
        return cls.single(experiment, warning, **cls.measurement_of(experiment))


_SAME_NAME = (
    "id",
    "public_id",
    "slug",
    "name",
    "description",
    "owner_user_id",
    "status",
    "counting_type",
    "delivery_type",
    "targeting",
    "weekday_schedule",
    "results_weekdays",
    "traffic_allocation",
    "experiment_js",
    "experiment_reset_js",
    "experiment_css",
    "sequential_testing_enabled",
    "store_url",
    "scheduled_start_at",
    "started_at",
    "ended_at",
    "archived_at",
    "created_at",
)


def experiment_fields(experiment: Aggregate) -> dict[str, Any]:
    """Return the fields that all responses of an experiment have. Unset overrides are shown as inherited."""
    approval = experiment.approval
    return {
        **{name: getattr(experiment, name) for name in _SAME_NAME},
        "type": experiment.counting_type,
        "experiment_type": experiment.delivery_type,
        "auto_stop_override": experiment.auto_stop_override or {"mode": "inherit"},
        "guardian_override": experiment.guardian_override or {},
        "planned_test": shown_plan(experiment.planned_test),
        "approval_state": approval and ApprovalState(status=approval.status, updated_at=approval.updated_at),
        "variations": [Variation.of(variation) for variation in experiment.variations],
        "goals": [Goal.of(goal) for goal in experiment.goals],
        "goalPageRules": list(experiment.goal_page_rules),
    }


GoalPageRules = Annotated[list[Any], AsStored(list[PageRules])]
"""The page rules that limit goals, in a response."""

ChecklistStatus = Literal["pass", "warn", "fail"]


class ChecklistItem(Output):
    """One item of the launch checklist."""

    key: str
    label: str
    status: ChecklistStatus
    message: str


class Checklist(Output):
    """The launch checklist, and the actions that the current status allows."""

    ready: bool
    items: list[ChecklistItem]
    allowed_actions: list[str]
