"""Secrets: only the service opens them, only for what they belong to; what was opened is kept for five minutes."""

from __future__ import annotations

import base64
import traceback
from collections import Counter
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from abtest.adapters import aws
from abtest.adapters.kms import KmsSealer
from abtest.adapters.kms import sealer as kms_sealer
from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit.clock import ManualClock
from abtest.ports.sealer import SealBrokenError, Sealer, SealingUnavailableError
from tests.contract.conftest import Ports
from tests.contract.records import START
from tests.support.moto_stack import AwsStack, silent

on_both = pytest.mark.parametrize("engine", ["moto", "ministack"], indirect=True, scope="session")

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OWN = {"shop_id": "s", "webhook_id": "w"}


def sealer_of(ports: Ports) -> Sealer:
    assert ports.sealer is not None
    return ports.sealer


@on_both
def test_seal__a_secret__is_opened_by_any_process(ports: Ports) -> None:
    sealed = sealer_of(ports).seal(SECRET, OWN)
    assert sealer_of(ports.another()).open(sealed, dict(reversed(OWN.items()))) == SECRET
    assert SECRET not in repr((sealed, ports.sealer, vars(ports.sealer)))


@on_both
def test_seal__twice__gives_two_seals(ports: Ports) -> None:
    sealer = sealer_of(ports)
    assert sealer.seal(SECRET, OWN) != sealer.seal(SECRET, OWN)


@on_both
@pytest.mark.parametrize("context", [{}, {"shop_id": "s"}, OWN | {"webhook_id": "x"}, OWN | {"more": "y"}])
def test_open__in_another_context__is_refused_even_if_it_is_open_already(ports: Ports, context: dict[str, str]) -> None:
    sealer = sealer_of(ports)
    sealed = sealer.seal(SECRET, OWN)
    assert sealer.open(sealed, OWN) == SECRET
    with pytest.raises(SealBrokenError):
        sealer.open(sealed, context)


@on_both
@pytest.mark.parametrize("text", ["", "é", "not base64!", "AAAA"])
def test_open__no_seal_of_ours__is_refused(ports: Ports, text: str) -> None:
    with pytest.raises(SealBrokenError):
        sealer_of(ports).open(Sealed(text), OWN)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(START)


@pytest.fixture
def kms(aws_stack: AwsStack, clock: ManualClock) -> KmsSealer:
    return KmsSealer(aws_stack.name("WebhookKey"), clock)


def test_open__tampered_with__is_refused(kms: KmsSealer) -> None:
    content = bytearray(base64.b64decode(kms.seal(SECRET, OWN).text))
    content[-1] ^= 1
    with pytest.raises(SealBrokenError):
        kms.open(Sealed(base64.b64encode(content).decode()), OWN)


def asked() -> Counter[str]:
    """What the key service is asked from now on."""
    aws.reset()
    counted = Counter[str]()
    events: Any = aws.kms().meta.events
    events.register("before-call.kms.*", lambda model, **_: counted.update([model.name]))
    return counted


def test_open__again__asks_nobody_for_five_minutes(kms: KmsSealer, clock: ManualClock) -> None:
    sealed = kms.seal(SECRET, OWN)
    counted = asked()
    for milliseconds, times in ((0, 1), (299_999, 1), (1, 2), (1, 2)):
        clock.advance(milliseconds=milliseconds)
        assert kms.open(sealed, OWN) == SECRET
        assert counted["Decrypt"] == times


def test_open__more_than_are_kept__those_opened_last_stay(kms: KmsSealer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kms_sealer, "MOST_KEPT", 2)
    sealed = [kms.seal(f"{SECRET}{number}", OWN) for number in range(3)]
    counted = asked()
    for number, times in ((0, 1), (1, 2), (2, 3), (1, 3), (2, 3), (0, 4)):
        assert kms.open(sealed[number], OWN) == f"{SECRET}{number}"
        assert counted["Decrypt"] == times


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("DisabledException", SealingUnavailableError),
        ("KMSInvalidStateException", SealingUnavailableError),
        ("ThrottlingException", SealingUnavailableError),
        ("IncorrectKeyException", SealBrokenError),
        ("AccessDeniedException", ClientError),
    ],
)
def test_open__refused_by_the_service__is_told_by_what_it_means(
    kms: KmsSealer, code: str, meaning: type[Exception]
) -> None:
    sealed = kms.seal(SECRET, OWN)
    aws.reset()
    events: Any = aws.kms().meta.events
    refusal = SimpleNamespace(status_code=400), {"Error": {"Code": code}}
    events.register("before-call.kms.Decrypt", lambda **_: refusal)
    with pytest.raises(meaning):
        kms.open(sealed, OWN)
    aws.reset()


def test_any_call__no_answer__is_unavailable_and_says_nothing_of_the_secret(
    kms: KmsSealer,
) -> None:
    sealed = kms.seal(SECRET, OWN)
    for call in (partial(kms.seal, SECRET, OWN), partial(kms.open, sealed, OWN)):
        with silent(), pytest.raises(SealingUnavailableError) as refusal:
            call()
        assert (refusal.value.status, refusal.value.headers) == (503, {"Retry-After": "1"})
        assert SECRET not in "".join(traceback.format_exception(refusal.value))
