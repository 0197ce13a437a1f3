"""Settings inherited field by field."""

from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.settings import settings_of


def test_settings__nothing_stated__are_fully_enabled() -> None:
    found = settings_of(None, {})
    assert found.enabled
    assert all(found.watches(kind) for kind in KINDS)
    assert {kind for kind in KINDS if found.lets_pause(kind)} == {
        "broken_delivery",
        "broken_runtime",
        "broken_conversion",
        "delivery_drift",
        "conversion_harm",
        "revenue_harm",
        "revenue_loss",
    }
    drift, loss = found.delivery_drift, found.revenue_loss
    assert (drift.miss_rate_threshold, drift.min_samples, drift.consecutive_checks) == (0.1, 200, 3)
    assert (loss.threshold_amount, loss.currency) == (None, None)


def test_settings__null_and_absent__inherit_field_by_field() -> None:
    shop = {
        "enabled": False,
        "pause_on_harm": False,
        "delivery_drift": {"minSamples": 50, "shouldPause": False, "consecutiveChecks": None},
        "revenue_loss": {"threshold_amount": 1000, "currency": "USD"},
    }
    override = {
        "enabled": True,
        "pause_on_harm": None,
        "delivery_drift": {"minSamples": 1, "shouldPause": None},
        "revenue_loss": {"threshold_amount": 5.5, "currency": None},
    }
    found = settings_of(override, shop)
    assert (found.enabled, found.pause_on_harm, found.pause_on_broken) == (True, False, True)
    drift, loss = found.delivery_drift, found.revenue_loss
    assert (drift.min_samples, drift.should_pause, drift.consecutive_checks) == (1, False, 3)
    assert (loss.threshold_amount, loss.currency) == (5.5, "USD")


def test_settings__objects_that_are_null__inherit_whole() -> None:
    found = settings_of({"delivery_drift": None, "revenue_loss": None}, {"delivery_drift": {"enabled": False}})
    assert not found.watches("delivery_drift")
    assert found.watches("revenue_loss")


def test_settings__zero_and_false__are_no_nulls() -> None:
    found = settings_of({"delivery_drift": {"missRateThreshold": 0}, "pause_on_broken": False})
    assert found.delivery_drift.miss_rate_threshold == 0
    assert not found.lets_pause("broken_conversion")
    assert found.lets_pause("conversion_harm")


def test_settings__what_alerts_only__never_pauses() -> None:
    assert not any(settings_of().lets_pause(kind) for kind, row in KINDS.items() if row.pauses_by is None)
