"""Experiment aggregate: an experiment with its variations and goals, consistent as one.

Field names are those of the contract. Nested JSON whose form the contract fixes (targeting, mutations, filters …)
stays JSON here: `abtest.contract` parses it on input, and it is returned unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from abtest.domain.experiments.shapes import Mutation, ResultsWeekdays, UrlBlock
from abtest.domain.goals.model import Goal
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.targeting.shapes import PageRules, Schedule, Targeting
from abtest.kit.clock import Timestamp
from abtest.kit.json_objects import JsonObject

Status = Literal[
    "draft",
    "awaiting_client_approval",
    "changes_requested",
    "client_approved",
    "qa",
    "ready_to_launch",
    "running",
    "paused",
    "completed",
]
CountingType = Literal["standard", "setup_test", "aa_test", "non_program"]
DeliveryType = Literal["mutation", "redirect"]
ApprovalStatus = Literal["pending", "approved", "changes_requested", "revoked"]
Outcome = Literal["won", "lost", "inconclusive", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """One arm. `weight` is its share of the traffic, 0..1."""

    id: str
    experiment_id: str
    public_id: str | None = None
    name: str
    weight: float
    is_control: bool
    archived_at: Timestamp | None = None
    archived_by: str | None = None
    mutations: tuple[Mutation, ...] = ()
    url_blocks: tuple[UrlBlock, ...] | None = None
    custom_css: str | None = None
    custom_js: str | None = None
    redirect_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """The present design approval and the hash of the design that it is about."""

    status: ApprovalStatus
    updated_at: Timestamp
    design_hash: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalEvent:
    """One step of the approval's history, never changed afterwards.

    `action` is the action that caused it (`design-edit` when an edit revoked the approval), `status` the approval's
    status from then on, `design_hash` the design it is about, `screenshot_job_id` the job that takes its pictures.
    """

    id: str
    action: str
    status: ApprovalStatus
    message: str | None
    reviewer_user_ids: tuple[str, ...] = ()
    screenshot_job_id: str | None = None
    design_hash: str | None
    user_id: str
    created_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """The aggregate root.

    `assignment_epoch` seeds the bucketing and rises only on restart. `measurement_epoch` is the window that results
    count in; it rises on restart and on a change of weights or plan while running. `version` rises with each commit.
    `plan_is_stated` distinguishes a plan that a caller gave from one that was computed at launch. `file_names` has the
    names of variations and goals in files, by id, where they are not those derived from their names.
    """

    id: str
    shop_id: str
    version: int = 0
    public_id: str | None = None
    slug: str | None = None
    name: str
    description: str | None = None
    owner_user_id: str | None = None
    status: Status = "draft"
    counting_type: CountingType = "standard"
    delivery_type: DeliveryType = "mutation"
    targeting: Targeting | None = None
    weekday_schedule: Schedule | None = None
    results_weekdays: ResultsWeekdays | None = None
    traffic_allocation: float = 1.0
    experiment_js: str | None = None
    experiment_reset_js: str | None = None
    experiment_css: str | None = None
    sequential_testing_enabled: bool = False
    auto_stop_override: JsonObject | None = None
    guardian_override: JsonObject | None = None
    planned_test: Snapshot | None = None
    plan_is_stated: bool = False
    store_url: str | None = None
    scheduled_start_at: Timestamp | None = None
    scheduled_end_at: Timestamp | None = None
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    approval: Approval | None = None
    approvals: tuple[ApprovalEvent, ...] = ()
    assignment_epoch: int = 1
    measurement_epoch: int = 1
    measurement_started_at: Timestamp | None = None
    outcome: Outcome | None = None
    winning_variation_id: str | None = None
    learning: str | None = None
    created_at: Timestamp
    updated_at: Timestamp
    variations: tuple[Variation, ...] = ()
    goals: tuple[Goal, ...] = ()
    goal_page_rules: tuple[PageRules, ...] = ()
    file_names: Mapping[str, str] | None = None

    @property
    def planned_adjustment(self) -> Literal["none", "cuped"]:
        """Adjustment of decisions by the stored plan; plans of older releases have none."""
        return (self.planned_test or {}).get("covariate_adjustment", "none")
