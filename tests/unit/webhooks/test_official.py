"""What is sent passes the official verifiers of Standard Webhooks and of Svix, and what was tampered with does not."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest
import standardwebhooks
import svix.webhooks

from abtest.domain.webhooks import envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.kit.clock import timestamp

OLD, NEW, OTHER = (envelope.secret_of(bytes([number]) * envelope.SECRET_BYTES) for number in (1, 2, 3))
DELIVERY = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f"
TEXTS = ["Grüße, 你好 🎉", "</script>", '"\\', "line\nbreak\x00", "\u2028", "\ud800", "x" * 100_000]

Verify = Callable[[str, bytes, dict[str, str]], object]
VERIFIERS: list[tuple[Verify, type[Exception]]] = [
    (lambda secret, *sent: standardwebhooks.Webhook(secret).verify(*sent), standardwebhooks.WebhookVerificationError),
    (lambda secret, *sent: svix.webhooks.Webhook(secret).verify(*sent), svix.webhooks.WebhookVerificationError),
]
official = pytest.mark.parametrize(("verify", "refusal"), VERIFIERS, ids=["standardwebhooks", "svix"])


def sent(
    secrets: Sequence[str], event: str = "experiment.started", late: int = 0, **fields: str
) -> tuple[bytes, dict[str, str]]:
    """Body and headers of an event as it goes out now, or went out so many seconds ago."""
    now = datetime.now(UTC)
    payload = {**EVENTS[event].example, **fields}
    body = envelope.serialized(payload, event=event, delivery_id=DELIVERY, timestamp=timestamp(now))
    at = int(now.timestamp()) - late
    return body, envelope.headers(body, event=event, delivery_id=DELIVERY, at=at, secrets=secrets)


def test_standard_signature__of_the_published_vector__is_the_published_one() -> None:
    found = envelope.standard_signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        b'{"test": 2432232314}',
        delivery_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=1614265330,
    )
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@official
@pytest.mark.parametrize("event", EVENTS)
def test_each_event__as_it_is_sent__passes_the_verifier(verify: Verify, refusal: type[Exception], event: str) -> None:
    verify(NEW, *sent([NEW], event))


@official
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_body__with_any_text__passes_the_verifier(verify: Verify, refusal: type[Exception], text: str) -> None:
    verify(NEW, *sent([NEW], experiment_name=text))


@official
def test_rotation__while_it_lasts__both_secrets_pass_and_no_other(verify: Verify, refusal: type[Exception]) -> None:
    body, headers = sent([NEW, OLD])
    verify(NEW, body, headers)
    verify(OLD, body, headers)
    with pytest.raises(refusal):
        verify(OTHER, body, headers)


@official
def test_secret__after_the_rotation__passes_no_more(verify: Verify, refusal: type[Exception]) -> None:
    with pytest.raises(refusal):
        verify(OLD, *sent([NEW]))


@official
@pytest.mark.parametrize("header", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_headers__with_one_that_is_missing_or_another__do_not_pass(
    verify: Verify, refusal: type[Exception], header: str
) -> None:
    body, headers = sent([NEW])
    _, others = sent([OTHER], late=60)
    for changed in ({**headers, header: ""}, {**headers, header: others[header].replace("0192", "0193")}):
        with pytest.raises(refusal):
            verify(NEW, body, changed)


@official
def test_body__with_one_byte_changed__does_not_pass(verify: Verify, refusal: type[Exception]) -> None:
    body, headers = sent([NEW])
    for place in range(len(body)):
        with pytest.raises(refusal):
            verify(NEW, body[:place] + b"~" + body[place + 1 :], headers)


@official
def test_request__repeated_after_five_minutes__does_not_pass(verify: Verify, refusal: type[Exception]) -> None:
    verify(NEW, *sent([NEW], late=290))
    with pytest.raises(refusal):
        verify(NEW, *sent([NEW], late=310))


def test_secret__made_of_any_bytes__is_one_that_the_verifiers_take() -> None:
    for key in (bytes(32), b"\xff" * 32, bytes(range(32)), b"\xfb\xef\xbe" * 10 + b"ab"):
        secret = envelope.secret_of(key)
        assert base64.b64decode(secret.removeprefix("whsec_")) == key
        for verify, _ in VERIFIERS:
            verify(secret, *sent([secret]))
