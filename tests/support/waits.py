"""Other waits than the deployed ones, for tests that are about something else."""

from dataclasses import replace

import pytest

from abtest.ports import waits
from abtest.ports.waits import WAITS, CallerKind, EdgeWaits, Wait, Waits

PATIENT = 60.0
"""Seconds that no call of a test takes, even on a busy machine."""


def never_in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let edge and API wait as long as it takes: engines inside the test's process share its processor."""
    services = WAITS[CallerKind.SHOPPER].services
    slow = Wait(attempts=1, connect=PATIENT, read=PATIENT, total=PATIENT)
    monkeypatch.setitem(WAITS, CallerKind.SHOPPER, Waits(services=dict.fromkeys(services, slow), limiter=PATIENT))
    monkeypatch.setitem(WAITS, CallerKind.API, replace(WAITS[CallerKind.API], limiter=PATIENT))
    edge = EdgeWaits(
        copy=PATIENT,
        publication=PATIENT,
        variant=PATIENT,
        handover=PATIENT,
        preview=PATIENT,
        probes=PATIENT,
        analytics_store=PATIENT,
    )
    monkeypatch.setattr(waits, "EDGE", edge)


def only_one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tests give a service up after one attempt."""
    services = WAITS[CallerKind.OPERATOR].services
    once = Wait(attempts=1, connect=1, read=3)
    monkeypatch.setitem(WAITS, CallerKind.OPERATOR, Waits(services=dict.fromkeys(services, once)))
