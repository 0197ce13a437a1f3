"""Catalogue of the events that an endpoint can subscribe to, each with its JSON Schema (2020-12) and an example.

An event's fields are those of the contract, section 6.4; every delivery adds `event`, `delivery_id` and `timestamp`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.planning.shapes import GuardrailStatus

Document = Mapping[str, Any]

_TEXT = {"type": "string"}
_ID = {"type": "string", "format": "uuid"}
_ID_OR_NULL = {"type": ["string", "null"], "format": "uuid"}
_MOMENT = {"type": "string", "format": "date-time"}
_ENVELOPE = {
    "event": _TEXT,
    "delivery_id": _ID | {"description": "The same at each attempt: use it to recognise repetitions."},
    "timestamp": _MOMENT | {"description": "When this attempt was written."},
    "test": {"const": True, "description": "Only in test deliveries."},
}
_EXPERIMENT: dict[str, Any] = {"experiment_id": _ID, "experiment_name": _TEXT}
_ENVIRONMENT, _REVISION = "production", 42
_SHOP_ID = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2a"
_EXPERIMENT_ID = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f"
_VARIATION_ID = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d30"
_GOAL_ID = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d31"
_SAMPLE: dict[str, Any] = {"experiment_id": _EXPERIMENT_ID, "experiment_name": "Free shipping banner"}


_GUARDRAIL_FIELDS: dict[str, Any] = {
    "goal_id": _ID,
    "variation_id": _ID,
    "status": {"enum": list(get_args(GuardrailStatus))},
    "p_value": {"type": ["number", "null"]},
    "difference": {"type": ["number", "null"]},
    "lift": {"type": ["number", "null"]},
    "message": _TEXT,
}
_GUARDRAIL: dict[str, Any] = {
    "type": "object",
    "description": "What one guardrail shows in one treatment.",
    "properties": _GUARDRAIL_FIELDS,
    "required": list(_GUARDRAIL_FIELDS),
}
_SIZE: dict[str, Any] = {"type": ["integer", "null"], "minimum": 1}
_TEXT_OR_NULL: dict[str, Any] = {"type": ["string", "null"]}
_SCREENSHOT_FIELDS: dict[str, Any] = {
    "url": _TEXT,
    "variation_id": _ID_OR_NULL,
    "viewport": {"type": "object", "description": "The window: width, height, device_scale."},
    "asset_id": _ID_OR_NULL,
    "public_url": _TEXT_OR_NULL,
    "width": _SIZE,
    "height": _SIZE,
    "sha256": _TEXT_OR_NULL,
    "truncated": {"type": "boolean"},
    "error": _TEXT_OR_NULL | {"description": "Why there is no picture; null when there is."},
}
_SCREENSHOTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "screenshots": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": _SCREENSHOT_FIELDS,
                "required": list(_SCREENSHOT_FIELDS),
            },
        }
    },
    "required": ["screenshots"],
}
_SCREENSHOT: dict[str, Any] = {
    "url": "https://shop.example/lamps",
    "variation_id": _VARIATION_ID,
    "viewport": {"width": 390, "height": 844, "device_scale": 2},
    "asset_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d75",
    "public_url": (
        "https://assets.example.com/a/0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d75/9f86d081884c7d65/shop.example-390x844-01.png"
    ),
    "width": 780,
    "height": 1688,
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "truncated": False,
    "error": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventType:
    """One event. `schema` describes the whole body as it is sent; `example` holds the event's own fields."""

    name: str
    description: str
    fields: Document
    example: Document

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the body. Fields may be added: receivers should ignore those they do not know."""
        properties = _ENVELOPE | {"event": {"const": self.name}} | dict(self.fields)
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": properties,
            "required": [name for name in properties if name != "test"],
        }


def _experiment_event(name: str, description: str, fields: Document, example: Document) -> EventType:
    return EventType(
        name=name, description=description, fields={**_EXPERIMENT, **fields}, example={**_SAMPLE, **example}
    )


_ALL = (
    _experiment_event("experiment.started", "An experiment was launched, by hand or by its schedule.", {}, {}),
    _experiment_event("experiment.completed", "An experiment was completed.", {}, {}),
    _experiment_event(
        "experiment.significant",
        "Auto-stop paused an experiment because a variation won in its deciding goal, or harms a guardrail.",
        {
            "goal_id": _ID,
            "winning_variation_id": _ID_OR_NULL,
            "outcome": {"enum": ["winner", "harm"]},
            "guardrails": {"type": "array", "items": _GUARDRAIL},
        },
        {
            "goal_id": _GOAL_ID,
            "winning_variation_id": _VARIATION_ID,
            "outcome": "winner",
            "guardrails": [
                {
                    "goal_id": _GOAL_ID,
                    "variation_id": _VARIATION_ID,
                    "status": "no_harm_shown",
                    "p_value": 1.0,
                    "difference": 0.0004,
                    "lift": 0.013,
                    "message": "No harm of “Orders” is shown in “Variant B” so far (+1.3%, p = 1.000).",
                }
            ],
        },
    ),
    _experiment_event(
        "variation.winning",
        "The variation that won in auto-stop; follows experiment.significant.",
        {"variation_id": _ID, "goal_id": _ID},
        {"variation_id": _VARIATION_ID, "goal_id": _GOAL_ID},
    ),
    _experiment_event(
        "experiment.guardian_triggered",
        "Guardian found something wrong with an experiment and did not pause it.",
        {
            "kind": {"enum": list(get_args(Kind))},
            "action": {"enum": list(get_args(Action))},
            "variation_id": _ID_OR_NULL,
            "goal_id": _ID_OR_NULL,
            "details": {"type": "object", "description": "What was measured; the keys depend on the kind."},
        },
        {
            "kind": "sample_ratio_mismatch",
            "action": "alert",
            "variation_id": _VARIATION_ID,
            "goal_id": None,
            "details": {
                "metric": "share_of_visitors",
                "observed": 0.4781,
                "expected": 0.5,
                "threshold": 0.01,
                "sample": 18240,
                "window": {"from": "2026-11-18T09:00:00.000Z", "to": "2026-11-21T20:00:00.000Z"},
                "consecutive_checks": 1,
                "generation": 318,
            },
        },
    ),
    _experiment_event(
        "experiment.guardian_paused",
        "Guardian paused an experiment because it does harm or is broken.",
        {"reason": {"enum": list(get_args(Kind))}, "variation_id": _ID_OR_NULL, "goal_id": _ID_OR_NULL},
        {"reason": "conversion_harm", "variation_id": _VARIATION_ID, "goal_id": _GOAL_ID},
    ),
    EventType(
        name="screenshots.completed",
        description="A screenshot job has finished, and its pictures are stored.",
        fields={"job_id": _ID, "experiment_id": _ID_OR_NULL, "results": _SCREENSHOTS},
        example={
            "job_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d32",
            "experiment_id": _EXPERIMENT_ID,
            "results": {"screenshots": [_SCREENSHOT]},
        },
    ),
    EventType(
        name="project.published",
        description="The published configuration has changed; sent if the shop's settings enable publication webhooks.",
        fields={
            "project_id": _ID,
            "revision": {"type": "integer", "minimum": 1},
            "environment_key": _TEXT,
            "status": _TEXT,
            "published_at": _MOMENT,
        },
        example={
            "project_id": _SHOP_ID,
            "revision": _REVISION,
            "environment_key": _ENVIRONMENT,
            "status": "published",
            "published_at": "2026-11-21T20:15:00.000Z",
        },
    ),
)

EVENTS: Mapping[str, EventType] = {event.name: event for event in _ALL}
"""Events by name, in the contract's order."""
