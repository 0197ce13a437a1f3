"""Long random lives of an experiment: whatever happens, in whatever order, what must hold keeps holding."""

from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.experiments import editing, rules, variations
from abtest.domain.experiments.design import design_hash, in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import Action, allowed_actions
from abtest.domain.experiments.transitions import act
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.kit.errors import ServiceError
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, TREATMENT, USER, experiment

YES = Consent(confirmed=True, consumer_ids=[EXPERIMENT])
WEIGHTS = st.sampled_from([(0.5, 0.5), (0.2, 0.8), (1.0, 0.0), (0.3, 0.3)])
STEPS = st.one_of(
    st.tuples(st.just("act"), st.sampled_from(get_args(Action))),
    st.tuples(st.just("weigh"), WEIGHTS),
    st.tuples(st.just("edit"), st.sampled_from([{"experiment_css": "a"}, {"experiment_css": "b"}, {"name": "x"}])),
    st.tuples(st.just("archive"), st.sampled_from([CONTROL, TREATMENT])),
)


def step(before: Experiment, kind: str, said: Any, moment: int, required: bool) -> Change[Experiment]:
    occasion = Occasion(now=f"2026-03-02T09:{moment:02d}:00.000Z", user_id=USER, event_id=f"event {moment}")
    if kind == "act":
        return act(before, said, occasion, approval_required=required)
    if kind == "weigh":
        after = variations.weigh(before, dict(zip((CONTROL, TREATMENT), said, strict=True)))
    elif kind == "archive":
        after = variations.archive(before, said, now=occasion.now, user_id=USER)
    else:
        after = editing.apply(before, said)
    return editing.settle(before, after, occasion, action="edit", consent=YES)


def tried(before: Experiment, kind: str, said: Any, moment: int, required: bool) -> Change[Experiment] | ServiceError:
    try:
        return step(before, kind, said, moment, required)
    except ServiceError as refusal:
        return refusal


def check_whole(before: Experiment, after: Experiment, required: bool) -> None:
    rules.check(after)
    assert decode(Experiment, canonical_json.loads(canonical_json.encode(encode(after)))) == after
    assert (after.started_at is None) == (after.status not in ("running", "paused", "completed"))
    assert before.started_at in (None, after.started_at)
    assert after.assignment_epoch >= before.assignment_epoch
    assert after.measurement_epoch >= before.measurement_epoch
    assert (after.measurement_epoch > before.measurement_epoch) <= (before.started_at is not None)
    if after.status == "running":
        assert rules.weights_are_whole(after)
        assert len(in_use(after)) == 2
        assert after.archived_at is None
    if required and after.status in ("client_approved", "qa", "ready_to_launch"):
        assert after.approval is not None
        assert (after.approval.status, after.approval.design_hash) == ("approved", design_hash(after))


@settings(max_examples=300, deadline=None)
@given(st.lists(STEPS, max_size=30), st.booleans())
def test_life__any_order_of_steps__keeps_what_must_hold(steps: list[tuple[str, Any]], required: bool) -> None:
    present = experiment()
    for moment, (kind, said) in enumerate(steps):
        promised = allowed_actions(present, approval_required=required)
        change = tried(present, kind, said, moment, required)
        if isinstance(change, ServiceError):
            assert kind != "act" or said not in promised or change.code in ("weights_sum", "approval_stale")
            continue
        assert change.after is not None
        assert change.is_empty or kind != "act" or said in promised
        check_whole(present, change.after, required)
        present = change.after
