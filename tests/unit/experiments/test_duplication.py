"""Fields that a copy of an experiment has from its source."""

from dataclasses import fields

from abtest.domain.experiments.duplication import COPIED
from abtest.domain.experiments.model import Experiment

OF_THE_COPY = {"id", "shop_id", "version", "public_id", "name", "created_at", "updated_at", "variations", "goals"}
"""Given by `duplicate` itself."""

NOT_COPIED = {
    "slug",
    "status",
    "planned_test",
    "plan_is_stated",
    "scheduled_start_at",
    "scheduled_end_at",
    "started_at",
    "ended_at",
    "archived_at",
    "approval",
    "approvals",
    "file_names",
    "assignment_epoch",
    "measurement_epoch",
    "measurement_started_at",
    "outcome",
    "winning_variation_id",
    "learning",
}
"""Identity, plan and history, which a copy starts without: it has the defaults of a draft."""


def test_duplicate__every_field_of_an_experiment__is_copied_given_or_left_out() -> None:
    names = [field.name for field in fields(Experiment)]
    assert sorted(names) == sorted([*COPIED, *OF_THE_COPY, *NOT_COPIED])
