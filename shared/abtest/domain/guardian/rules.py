"""The rule of each kind. A rule takes evidence and yields findings and what it could not evaluate."""

from collections.abc import Callable, Iterator, Mapping

from abtest.domain.guardian.data_quality import (
    currency_residue,
    duplicate_orders,
    event_gap,
    measurement_coverage,
    multiple_exposure,
    sample_ratio_mismatch,
)
from abtest.domain.guardian.delivery import broken_delivery, delivery_drift
from abtest.domain.guardian.evidence import Answer, Evidence, NotEvaluated, Peaks
from abtest.domain.guardian.harm import (
    broken_conversion,
    broken_runtime,
    conversion_harm,
    revenue_harm,
    revenue_loss,
)
from abtest.domain.guardian.kinds import KINDS, Kind
from abtest.domain.guardian.settings import Settings

Rule = Callable[[Evidence, Settings, Peaks], Iterator[Answer]]

RULES: Mapping[Kind, Rule] = {
    "broken_delivery": broken_delivery,
    "broken_runtime": broken_runtime,
    "broken_conversion": broken_conversion,
    "delivery_drift": delivery_drift,
    "conversion_harm": conversion_harm,
    "revenue_harm": revenue_harm,
    "revenue_loss": revenue_loss,
    "sample_ratio_mismatch": sample_ratio_mismatch,
    "multiple_exposure": multiple_exposure,
    "event_gap": event_gap,
    "duplicate_orders": duplicate_orders,
    "currency_residue": currency_residue,
    "measurement_coverage": measurement_coverage,
}

# Kinds of findings that compare a treatment with its control.
COMPARES: frozenset[Kind] = frozenset(
    ("broken_runtime", "broken_conversion", "delivery_drift", "conversion_harm", "revenue_harm", "revenue_loss")
)


def look(evidence: Evidence | None, settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Yield all findings of one look, and the kinds not evaluated. `evidence` None: no events were counted yet."""
    for kind in KINDS:
        if not settings.watches(kind):
            yield NotEvaluated(kind=kind, reason="switched_off")
        elif evidence is None:
            yield NotEvaluated(kind=kind, reason="not_counted_yet")
        elif kind in COMPARES and not evidence.pairs():
            yield NotEvaluated(kind=kind, reason="no_comparison")
        else:
            yield from RULES[kind](evidence, settings, peaks)
