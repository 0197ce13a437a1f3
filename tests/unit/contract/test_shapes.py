"""Shapes of the domain name the fields of the contract's models, and the same ones are required."""

from typing import Any

import pytest
from pydantic import BaseModel

from abtest.contract import (
    audience_rules,
    data_layer_triggers,
    exclusion_groups,
    goal_filters,
    goals,
    mutations,
    page_rules,
    personalizations,
    planned_test,
    targeting,
    triggers,
    variations,
    weekdays,
)
from abtest.domain.exclusion_groups import shapes as group_shapes
from abtest.domain.experiments import shapes as experiment_shapes
from abtest.domain.goals import shapes as goal_shapes
from abtest.domain.personalizations import shapes as personalization_shapes
from abtest.domain.planning import shapes as plan_shapes
from abtest.domain.signals import shapes as signal_shapes
from abtest.domain.targeting import shapes as targeting_shapes

SAME: list[tuple[Any, type[BaseModel]]] = [
    (targeting_shapes.UrlRule, page_rules.UrlRule),
    (targeting_shapes.TargetedPage, page_rules.TargetedPage),
    (targeting_shapes.Comparison, audience_rules.Comparison),
    (targeting_shapes.AudienceRules, audience_rules.AudienceRulesTree),
    (targeting_shapes.TargetedAudience, targeting.TargetedAudience),
    (targeting_shapes.CheckoutBlock, targeting.CheckoutBlock),
    (targeting_shapes.Targeting, targeting.ExperimentTargeting),
    (targeting_shapes.Schedule, weekdays.WeekdaySchedule),
    (experiment_shapes.ResultsWeekdays, weekdays.ResultsWeekdays),
    (experiment_shapes.Mutation, mutations.Mutation),
    (experiment_shapes.AttributeChange, mutations.SingleAttribute),
    (experiment_shapes.UrlBlock, mutations.UrlBlock),
    (goal_shapes.FilterCondition, goal_filters.GoalFilterCondition),
    (goal_shapes.FilterCondition, goal_filters.LineItemCondition),
    (goal_shapes.ValueCondition, goal_filters.OrderValue),
    (goal_shapes.LineItems, goal_filters.LineItems),
    (goal_shapes.GoalFilter, goal_filters.GoalFilter),
    (goal_shapes.GoalCapture, goal_filters.GoalCapture),
    (group_shapes.MemberFields, exclusion_groups.GroupMember),
    (plan_shapes.Snapshot, planned_test.PlannedTestSnapshot),
    (plan_shapes.PlanEvaluation, planned_test.PlanEvaluation),
    (plan_shapes.RevenueComparison, planned_test.RevenueComparison),
    (plan_shapes.Bounds, planned_test.ConfidenceInterval),
    (signal_shapes.TriggerCondition, data_layer_triggers.DataLayerCondition),
    (signal_shapes.TransformFields, data_layer_triggers.Transform),
    (signal_shapes.PropertyFields, data_layer_triggers.Property),
    (signal_shapes.MappingFields, data_layer_triggers.Mapping),
    (signal_shapes.RevenueFields, data_layer_triggers.TrackRevenue),
    (signal_shapes.TriggerFields, data_layer_triggers.DataLayerTriggerInput),
]

LARGER: list[tuple[Any, type[BaseModel]]] = [
    (targeting_shapes.Trigger, triggers.Trigger),
    (experiment_shapes.VariationFields, variations.VariationItem),
    (goal_shapes.GoalFields, goals.GoalItem),
    (personalization_shapes.ExperienceFields, personalizations.PersonalizationExperienceInput),
    (plan_shapes.RevenueEvaluation, planned_test.RevenueEvaluation),
]
"""Shapes that the domain completes before they are whole, or of several models: only the names are the same."""


def fields_of(model: type[BaseModel]) -> dict[str, bool]:
    """Names on the wire, and which are required."""
    return {field.alias or name: field.is_required() for name, field in model.model_fields.items()}


@pytest.mark.parametrize(("shape", "model"), SAME, ids=lambda each: each.__name__)
def test_shape__of_a_model__has_its_fields(shape: Any, model: type[BaseModel]) -> None:
    assert {name: name in shape.__required_keys__ for name in shape.__annotations__} == fields_of(model)


@pytest.mark.parametrize(("shape", "model"), LARGER, ids=lambda each: each.__name__)
def test_shape__that_is_completed__has_the_names_of_the_model(shape: Any, model: type[BaseModel]) -> None:
    assert fields_of(model).keys() - {"type"} <= shape.__annotations__.keys()
