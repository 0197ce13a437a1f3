"""What makes an experiment's numbers doubtful: what the numbers show by themselves, and what Guardian found."""

from collections.abc import Mapping, Sequence

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.guardian.cases import Case, State
from abtest.domain.guardian.data_quality import TWICE_SHARE, TWICE_VISITORS
from abtest.domain.guardian.kinds import KINDS, Severity
from abtest.domain.guardian.messages import Names, nobody_seen, what
from abtest.ports.catalog import Catalog
from abtest.services.guardian_memory import remembered
from abtest.services.results.comparing import Question
from abtest.services.results.tallies import Tally

_SEVERITY: Mapping[contract.FindingKind, Severity] = {
    "zero_weight_visitors": "critical",
    "no_visitors": "warning",
    **{kind: row.severity for kind, row in KINDS.items()},
}


def health(
    question: Question,
    everybody: Tally,
    multiple_exposure: int,
    srm: contract.SampleRatio,
    seen: State | None = None,
) -> list[contract.HealthFinding]:
    """Findings, those of the numbers first. What Guardian found of the same kind is told once, as Guardian tells it."""
    told = [_of_case(case, question) for case in standing_cases(seen)]
    kinds = {finding.kind for finding in told}
    found = [*_of_split(question, everybody, srm), *_of_multiple_exposure(question, everybody, multiple_exposure)]
    nobody = _nobody_seen(question, everybody, seen)
    return [*nobody, *(finding for finding in found if finding.kind not in kinds), *told]


def seen_by_guardian(catalog: Catalog, experiment: Experiment) -> State | None:
    """What Guardian remembers of the present measurement; None: it has not looked at it yet."""
    state = remembered(catalog, experiment.shop_id, experiment.id).state
    return state if state is not None and state.measurement_epoch == experiment.measurement_epoch else None


def standing_cases(state: State | None) -> Sequence[Case]:
    """What was told to somebody and is not over."""
    return [case for case in state.open if case.action] if state else []


def _nobody_seen(question: Question, everybody: Tally, seen: State | None) -> list[contract.HealthFinding]:
    is_silent = question.experiment.status == "running" and not question.visitors(everybody)
    if seen is None or seen.unseen is None or not is_silent:
        return []
    return [_finding("no_visitors", nobody_seen(seen.unseen))]


def _of_split(question: Question, everybody: Tally, srm: contract.SampleRatio) -> list[contract.HealthFinding]:
    strays = [
        variation
        for variation in question.variations
        if variation.weight <= 0 < everybody.visitors.get(variation.id, 0)
    ]
    if strays:
        return [_stray(variation, everybody.visitors[variation.id]) for variation in strays]
    if srm.status != "mismatch":
        return []
    message = "visitors are not split as the weights say; do not trust the comparison before you know why"
    return [_finding("sample_ratio_mismatch", message)]


def _stray(variation: Variation, visitors: int) -> contract.HealthFinding:
    message = f"{variation.name} gets no traffic, and yet {visitors:,} visitors saw it: find out how"
    return _finding("zero_weight_visitors", message, variation.id)


def _of_multiple_exposure(question: Question, everybody: Tally, twice: int) -> list[contract.HealthFinding]:
    seen = twice + question.visitors(everybody)
    if twice < TWICE_VISITORS or twice < TWICE_SHARE * seen:
        return []
    return [_finding("multiple_exposure", f"{twice:,} visitors saw two variations; they are left out")]


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


def _of_case(case: Case, question: Question) -> contract.HealthFinding:
    return contract.HealthFinding(
        kind=case.kind,
        severity=_SEVERITY[case.kind],
        message=what(case, Names.of(question.experiment, question.currency)),
        action=case.action,
        detected_at=case.detected_at,
        variation_id=case.variation_id,
        goal_id=case.goal_id,
    )
