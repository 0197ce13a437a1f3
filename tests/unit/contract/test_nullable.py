"""Fields of responses that may be null: those of the contract, and no others (ADR 7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.openapi import contract
from tools.reference.names import public_name

CODE = {"experiment_js", "experiment_reset_js", "experiment_css"}
EXPERIMENT = CODE | {
    "public_id",
    "slug",
    "description",
    "owner_user_id",
    "targeting",
    "weekday_schedule",
    "results_weekdays",
    "planned_test",
    "store_url",
    "scheduled_start_at",
    "started_at",
    "ended_at",
    "archived_at",
    "approval_state",
    "linked_idea",
}
VARIATION = {"public_id", "archived_at", "archived_by", "url_blocks", "custom_css", "custom_js", "redirect_url"}
WEBHOOK = {"disabledAt", "archived_at", "archived_by"}
# `redelivery_of` is an addition of this service.
DELIVERY = {"response_status", "last_error", "processing_started_at", "delivered_at", "redelivery_of"}
MONEY = {"converted_revenue", "excluded_foreign_revenue", "unconverted_revenue"}

NULLABLE: dict[str, set[str]] = {
    "Shop": {"origin"},
    "ShopSummary": set(),
    "Experiment": EXPERIMENT,
    "UpdatedExperiment": EXPERIMENT | {"measurement_began_at"},
    "ApprovalState": set(),
    "LinkedIdea": {"key"},
    "PlannedTestSnapshot": {"evaluation", "revenue_evaluation"},
    "PlanEvaluation": {"winning_variation_id"},
    "RevenueEvaluation": set(),
    "RevenueComparison": {"confidence_interval"},
    "AutoStopOverride": {"sequential", "fixed_horizon", "group_sequential"},
    "GuardianOverride": {
        "enabled",
        "pause_on_broken",
        "pause_on_harm",
        "alert_on_data_quality",
        "delivery_drift",
        "revenue_loss",
    },
    "Variation": VARIATION,
    "Webhook": WEBHOOK,
    "WebhookCreated": WEBHOOK,
    "WebhookDelivery": DELIVERY,
    "WebhookDeliveryDetail": DELIVERY | {"request"},
    "AuditLog": {"shop_id", "org_id", "entity_name"},
    "EnvironmentsResponse": {"version"},
    "ExternalTrackingResponse": {"revision"},
    "ConsentSettings": set(),
    "ConsentModeOutput": set(),
    "Prerequisites": {"showVariationsRule", "startTrackingRule"},
    "InstallDomainsResponse": set(),
    "ExternalPixelSnippet": set(),
    "AnalyticsStatsResponse": set(),
    "AnalyticsStatsRow": MONEY | {"foreign_revenue_buckets", "unknown_currency_orders", "unknown_currency_revenue"},
    "ServerAssignment": {
        "experiment_name",
        "variation_name",
        "assignment_epoch",
        "archived_at",
        "archived_by",
        "redirect_url",
        "css",
        "js",
    },
    "ServerAssignmentResponse": {"user_id", "commerce_authorization"},
    "Health": {"release"},
}


@pytest.mark.parametrize("record", NULLABLE)
def test_response__fields_that_may_be_null__are_those_of_the_contract(record: str) -> None:
    fields = contract().document["components"]["schemas"][public_name(record)]["properties"]
    assert {name for name, schema in fields.items() if _is_nullable(schema)} == NULLABLE[record]


def _is_nullable(schema: dict[str, Any]) -> bool:
    types = schema.get("type")
    if types == "null" or (isinstance(types, list) and "null" in types):
        return True
    resolved = contract().resolve(schema)
    return any(_is_nullable(part) for part in [*resolved.get("anyOf", ()), *resolved.get("oneOf", ())])
