"""Answers have exactly the fields of the service contract, inputs none that only the service may set."""

from abtest.contract.base import Output
from abtest.contract.experiments import Experiment, ExperimentCreate, ExperimentUpdate
from abtest.contract.goals import Goal, GoalUpdate
from abtest.contract.variations import Variation, VariationUpdate

EXPERIMENT = """
id public_id slug name description owner_user_id status counting_type delivery_type type experiment_type targeting
weekday_schedule results_weekdays traffic_allocation experiment_js experiment_reset_js experiment_css
sequential_testing_enabled auto_stop_override guardian_override planned_test store_url scheduled_start_at started_at
ended_at archived_at approval_state linked_idea created_at variations goals goalPageRules publication_warning
"""
VARIATION = """
id public_id experiment_id name weight is_control archived_at archived_by mutations url_blocks custom_css custom_js
redirect_url publication_warning
"""
GOAL = """
id experiment_id name type is_primary role direction event_name selector text_match url_pattern page_id count_once
aggregation numerator denominator winsorize_pct attribution_window_days currency_basis filter capture archived_at
created_at updated_at
"""
SERVICE_ONLY = """
id public_id status started_at ended_at archived_at archived_by created_at updated_at approval_state linked_idea
planned_test weekday_schedule publication_warning shop_id experiment_id
"""


def fields(model: type[Output]) -> list[str]:
    return list(model.model_fields)


def test_answers__field_by_field__are_the_contracts() -> None:
    assert fields(Experiment) == EXPERIMENT.split()
    assert fields(Variation) == VARIATION.split()
    assert fields(Goal) == GOAL.split()


def test_inputs__of_experiments_variations_goals__set_nothing_of_the_service() -> None:
    for model in (ExperimentCreate, ExperimentUpdate, VariationUpdate, GoalUpdate):
        assert not set(SERVICE_ONLY.split()) & set(model.model_fields), model


def test_answers__optional_fields__are_only_those_that_may_be_left_out() -> None:
    optional = {
        name for model in (Experiment, Variation, Goal) for name, f in model.model_fields.items() if not f.is_required()
    }
    assert optional == {"linked_idea", "publication_warning"}
