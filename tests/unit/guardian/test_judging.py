"""Findings in time: told once while they last, again when they return or worsen; pauses, their failures."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.guardian.cases import State, state_document, state_from
from abtest.domain.guardian.evidence import Evidence, Sessions, Stitching
from abtest.domain.guardian.judgement import GONE_AFTER, Judgement, judge, watched_since
from abtest.domain.guardian.messages import Names, finding_text, inbox_text, reason_text
from abtest.domain.guardian.settings import settings_of
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp, timestamp
from tests.unit.guardian.examples import (
    BEGAN_QUARTER,
    BUY,
    CONTROL,
    DAY,
    REVENUE,
    TREATMENT,
    arm,
    clicks,
    evidence,
    orders,
    with_arms,
)

NOON = "2026-03-02T12:00:00.000Z"
HEALTHY, HARMED = evidence(clicks(480, 480)), evidence(clicks(480, 300))
TWICE = evidence(clicks(480, 480), multiple_exposure=500)


def at(minutes: float) -> str:
    return timestamp(parse_timestamp(NOON) + timedelta(minutes=minutes))


class Watch:
    """Guardian's memory over looks that follow each other."""

    def __init__(self, **override: Any) -> None:
        self.settings = settings_of(override)
        self.state: State | None = None
        self.minutes = 0.0
        self.generation = 0

    def look(self, found: Evidence | None, *, after: float = 15, news: bool = True, epoch: int = 1) -> Judgement:
        self.minutes += after
        self.generation += news
        seen = found and replace(found, generation=self.generation, measurement_epoch=epoch)
        judged = judge(self.state, seen, self.settings, measurement_epoch=epoch, now=at(self.minutes))
        self.state = state_from(canonical_json.loads(canonical_json.dumps(state_document(judged.state))))
        assert self.state == judged.state
        return judged

    @property
    def known(self) -> State:
        assert self.state is not None
        return self.state


def told(judged: Judgement) -> list[tuple[str, str | None]]:
    return [(case.kind, case.action) for case in (*judged.pauses, *judged.alerts)]


def test_alert__while_it_lasts__is_told_once() -> None:
    watch = Watch()
    assert told(watch.look(TWICE)) == [("multiple_exposure", "alert")]
    assert all(watch.look(TWICE).is_quiet for _ in range(20))
    (case,) = watch.known.open
    assert (case.checks, case.detected_at, case.details["generation"]) == (21, at(15), 21)


def test_alert__that_goes_and_returns__is_told_again() -> None:
    watch = Watch()
    watch.look(TWICE)
    for _ in range(GONE_AFTER):
        assert watch.look(HEALTHY).is_quiet
    assert watch.known.open == ()
    assert [case.resolved_at for case in watch.known.past] == [at(15 * (GONE_AFTER + 1))]
    assert told(watch.look(TWICE)) == [("multiple_exposure", "alert")]


def test_alert__that_flickers__lasts() -> None:
    watch = Watch()
    watch.look(TWICE)
    for _ in range(5):
        for _ in range(GONE_AFTER - 1):
            watch.look(HEALTHY)
        assert watch.look(TWICE).is_quiet
    assert (len(watch.known.open), watch.known.past) == (1, ())


def test_harm__pauses_with_the_kind_as_its_reason() -> None:
    watch = Watch()
    judged = watch.look(HARMED)
    assert told(judged) == [("conversion_harm", "pause")]
    (case,) = judged.pauses
    assert (case.variation_id, case.goal_id) == (TREATMENT, BUY)
    assert set(case.details) == {
        "metric",
        "observed",
        "expected",
        "threshold",
        "sample",
        "window",
        "consecutive_checks",
        "generation",
    }
    assert watch.look(HARMED).is_quiet, "who resumes it has decided"


def test_pause__that_several_findings_ask_for__has_the_first_of_the_table_as_its_reason() -> None:
    judged = Watch().look(evidence(clicks(480, 0), orders(480, 30)))
    assert [case.kind for case in judged.pauses] == [
        "broken_conversion",
        "broken_conversion",
        "conversion_harm",
        "conversion_harm",
        "revenue_harm",
    ]
    assert judged.alerts == ()


def test_settings_that_forbid_the_pause__suppress_it_and_a_change_of_them_pauses() -> None:
    watch = Watch(pause_on_harm=False)
    assert told(watch.look(HARMED)) == [("conversion_harm", "pause_suppressed")]
    assert watch.look(HARMED).is_quiet
    watch.settings = settings_of()
    assert told(watch.look(HARMED, news=False)) == [("conversion_harm", "pause")]
    watch.settings = settings_of({"pause_on_harm": False})
    assert watch.look(HARMED).is_quiet


def test_new_goal__is_a_new_finding() -> None:
    watch = Watch(pause_on_harm=False, pause_on_broken=False)
    watch.look(HARMED)
    other = clicks(480, 300, goal_id="other")
    judged = watch.look(evidence(clicks(480, 300), other))
    assert [case.goal_id for case in judged.alerts] == ["other"]


def test_pause_that_failed__is_told_once_and_tried_again() -> None:
    watch = Watch()
    for attempt in range(3):
        before = watch.state
        judged = watch.look(HARMED, news=not attempt)
        assert [case.kind for case in judged.pauses] == ["conversion_harm"]
        failed = judged.not_paused(before)
        watch.state = failed.state
        assert told(failed) == ([("conversion_harm", "pause_failed")] if not attempt else [])
    assert told(watch.look(HARMED)) == [("conversion_harm", "pause")]


def _drifting(missed: int = 300) -> Evidence:
    return with_arms(
        HEALTHY, treatment={"sessions": Sessions(1000, 0, missed)}, control={"sessions": Sessions(9, 0, 0)}
    )


def test_drift__three_checks_in_a_row__pauses() -> None:
    watch = Watch()
    assert watch.look(_drifting()).is_quiet
    assert watch.look(_drifting()).is_quiet
    judged = watch.look(_drifting())
    assert told(judged) == [("delivery_drift", "pause")]
    assert judged.pauses[0].details["consecutive_checks"] == 3


def test_drift__interrupted__begins_anew_and_leaves_no_trace() -> None:
    watch = Watch()
    watch.look(_drifting())
    watch.look(_drifting())
    watch.look(_drifting(0))
    assert (watch.known.open, watch.known.past) == ((), ())
    assert all(watch.look(_drifting()).is_quiet for _ in range(2))
    assert not watch.look(_drifting()).is_quiet


def test_drift__schedule_that_fires_twice_or_counts_that_are_not_new__are_no_further_checks() -> None:
    watch = Watch()
    watch.look(_drifting())
    for after, news in ((1, True), (1, False), (9, True), (15, False), (15, False)):
        assert watch.look(_drifting(), after=after, news=news).is_quiet
    (case,) = watch.known.open
    assert case.checks == 2, "11 minutes after the first check, with new counts, was one more"


def test_gap__needs_no_new_counts__but_two_checks() -> None:
    came = {BEGAN_QUARTER + quarter: 5 for quarter in range(DAY)}
    end = BEGAN_QUARTER + DAY
    silent = evidence(
        arms=(arm(CONTROL, 480, arrivals=came), arm(TREATMENT, 0, share=0.0)),
        now=(end + 9) * QUARTER_MS,
        watched_since=end * QUARTER_MS,
    )
    watch = Watch()
    assert watch.look(silent).is_quiet
    assert told(watch.look(silent, news=False)) == [("event_gap", "alert")]


def test_same_look_again__changes_nothing() -> None:
    watch = Watch()
    watch.look(TWICE)
    before = watch.state
    watch.look(TWICE, after=1, news=False)
    assert watch.state == before


def test_new_measurement__ends_what_was_found_in_the_old_one_and_forgets_its_evidence() -> None:
    watch = Watch(pause_on_harm=False)
    watch.look(HARMED)
    assert watch.known.peaks
    assert watch.look(None, epoch=2).is_quiet
    assert (watch.known.open, watch.known.peaks, watch.known.generation) == ((), {}, None)
    assert [(case.kind, case.measurement_epoch) for case in watch.known.past] == [("conversion_harm", 1)]
    assert told(watch.look(HARMED, epoch=2)) == [("conversion_harm", "pause_suppressed")]


def test_kind_that_is_switched_off__is_over_at_once() -> None:
    watch = Watch()
    watch.look(TWICE)
    watch.settings = settings_of({"alert_on_data_quality": False})
    watch.look(TWICE)
    assert watch.known.open == ()
    assert watch.known.past[0].resolved_at == at(30)


def test_documents_that_lack_something__leave_its_findings_standing() -> None:
    watch = Watch()
    for _ in range(3):
        watch.look(_drifting())
    for _ in range(9):
        watch.look(HEALTHY)
    assert [case.kind for case in watch.known.open] == ["delivery_drift"]


def test_past__keeps_the_newest_fifty() -> None:
    watch = Watch()
    for epoch in range(1, 60):
        watch.look(TWICE, epoch=epoch)
    assert len(watch.known.past) == 50
    assert watch.known.past[0].measurement_epoch == 58


@pytest.mark.parametrize(("minutes", "is_unbroken"), [(15, True), (45, True), (45.1, False)])
def test_watched_since__after_a_break__begins_anew(minutes: float, is_unbroken: bool) -> None:
    watch = Watch()
    watch.look(HEALTHY, after=0)
    assert watched_since(watch.state, at(minutes)) == (NOON if is_unbroken else at(minutes))


@given(st.lists(st.tuples(st.sampled_from([HEALTHY, HARMED, TWICE, None]), st.booleans(), st.booleans()), max_size=12))
def test_any_order_of_looks__tells_of_nothing_twice_while_it_lasts(looks: list[Any]) -> None:
    watch = Watch(pause_on_harm=False)
    standing: set[Any] = set()
    for found, quick, news in looks:
        judged = watch.look(found, after=1 if quick else 15, news=news)
        keys = {case.key for case in judged.alerts}
        assert not keys & standing
        standing = {case.key for case in watch.known.open}
        assert keys <= standing


NAMES = Names("Sale", {CONTROL: "A", TREATMENT: "B"}, {BUY: "Buy", REVENUE: "Money"}, "EUR")


def test_messages__of_every_kind__are_sentences_with_names_and_numbers() -> None:
    watch = Watch(
        pause_on_harm=False,
        pause_on_broken=False,
        delivery_drift={"consecutiveChecks": 1},
        revenue_loss={"threshold_amount": 1},
    )
    everything = with_arms(
        evidence(
            clicks(480, 0),
            orders(480, 30, excluded={CONTROL: 0, TREATMENT: 200}),
            visitors=(9600, 8000),
            multiple_exposure=500,
            stitching=Stitching(100, 50, asks_consent=True),
        ),
        control={"sessions": Sessions(9000, 10, 0)},
        treatment={"sessions": Sessions(9000, 1000, 4000)},
    )
    judged = watch.look(everything)
    texts = [inbox_text(case, NAMES) for case in (*judged.pauses, *judged.alerts)]
    assert len(texts) >= 10
    assert len(set(texts)) == len(texts), "nobody reads the same sentence twice"
    assert all(text.startswith("Sale: ") and text.endswith(".") and len(text) < 400 for text in texts)
    assert any(
        "0 % of the visitors of “B” reached “Buy”, 5 % of the control's. The experiment goes on" in t for t in texts
    )
    assert any("less than the control would" in text and "EUR" in text for text in texts)
    assert any("not applied in 44.4 % of 9,000 sessions" in text for text in texts)
    assert all(reason_text(each) for each in watch.known.not_evaluated)


def test_message__of_what_has_no_name_any_more__says_so() -> None:
    (case,) = Watch().look(HARMED).pauses
    assert "“a variation” reached “a goal”" in finding_text(case, Names("Sale", {}, {}, "EUR"))
