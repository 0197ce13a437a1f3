"""Health of an experiment's numbers: findings from the counts themselves, and open cases of Guardian."""

from collections.abc import Iterator, Mapping

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State
from abtest.domain.guardian.data_quality import TWICE_SHARE, TWICE_VISITORS
from abtest.domain.guardian.kinds import KINDS, Severity
from abtest.domain.guardian.messages import Names, finding_text, unseen_text
from abtest.ports.catalog import Catalog
from abtest.services.guardian_memory import remembered
from abtest.services.results.counts import Counts
from abtest.services.results.question import Question

_SEVERITY: Mapping[contract.FindingKind, Severity] = {
    "zero_weight_visitors": "critical",
    "no_visitors": "warning",
    **{kind: row.severity for kind, row in KINDS.items()},
}


def health(
    question: Question,
    everybody: Counts,
    multiple_exposure: int,
    srm: contract.SampleRatio,
    seen: State | None = None,
) -> list[contract.HealthFinding]:
    """Return the findings, those of the counts first.

    A finding of the counts is left out where Guardian has an open case of its kind, which has the details.
    """
    names = Names.of(question.experiment, question.currency)
    cases = [
        contract.HealthFinding(
            kind=case.kind,
            severity=_SEVERITY[case.kind],
            message=finding_text(case, names),
            action=case.action,
            detected_at=case.detected_at,
            variation_id=case.variation_id,
            goal_id=case.goal_id,
        )
        for case in (seen.open if seen else ())
        if case.action  # without an action, a case waits for more checks
    ]
    kinds = {finding.kind for finding in cases}
    counted = findings_of_counts(question, everybody, multiple_exposure, srm, seen)
    return [*(finding for finding in counted if finding.kind not in kinds), *cases]


def seen_by_guardian(catalog: Catalog, experiment: Experiment) -> State | None:
    """Return Guardian's state of the present measurement; None before its first check."""
    state = remembered(catalog, experiment.shop_id, experiment.id).state
    return state if state is not None and state.measurement_epoch == experiment.measurement_epoch else None


def findings_of_counts(
    question: Question, everybody: Counts, multiple_exposure: int, srm: contract.SampleRatio, seen: State | None
) -> Iterator[contract.HealthFinding]:
    """Yield findings that follow from the counts alone: no visitors, a broken split, visitors of two variations."""
    visitors = question.visitors(everybody)
    # A paused experiment has no visitors by intention.
    is_silent = question.experiment.status == "running" and not visitors
    if is_silent and seen is not None and seen.unseen is not None:
        yield _finding("no_visitors", unseen_text(seen.unseen))
    strays = [arm for arm in question.variations if arm.weight <= 0 < everybody.visitors.get(arm.id, 0)]
    for arm in strays:
        message = f"{arm.name} gets no traffic, and yet {everybody.visitors[arm.id]:,} visitors saw it: find out how"
        yield _finding("zero_weight_visitors", message, arm.id)
    if srm.status == "mismatch" and not strays:
        message = "visitors are not split as the weights say; do not trust the comparison before you know why"
        yield _finding("sample_ratio_mismatch", message)
    if multiple_exposure >= TWICE_VISITORS and multiple_exposure >= TWICE_SHARE * (multiple_exposure + visitors):
        yield _finding("multiple_exposure", f"{multiple_exposure:,} visitors saw two variations; they are left out")


def _finding(kind: contract.FindingKind, message: str, variation_id: str | None = None) -> contract.HealthFinding:
    return contract.HealthFinding(
        kind=kind,
        severity=_SEVERITY[kind],
        message=message,
        action=None,
        detected_at=None,
        variation_id=variation_id,
        goal_id=None,
    )
