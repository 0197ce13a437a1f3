"""What docs/webhooks.md tells receivers to do works on what we send, and refuses what we did not send."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from standardwebhooks import WebhookVerificationError

from abtest.domain.webhooks import envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.kit.clock import timestamp
from tests.integration.webhook_receivers.documented import Receiver, code, command_for, names, running

OLD, NEW, OTHER = (envelope.secret_of(bytes([number]) * envelope.SECRET_BYTES) for number in (4, 5, 6))
DELIVERY = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f"
NAME = "Grüße, 你好 </script> \u2028"

Sent = tuple[bytes, dict[str, str]]


def sent(*secrets: str, event: str = "experiment.started", delivery_id: str = DELIVERY, late: int = 0) -> Sent:
    """Body and headers of an event as it goes out now, or went out so many seconds ago."""
    now = datetime.now(UTC)
    payload = {**EVENTS[event].example, "experiment_name": NAME}
    body = envelope.serialized(payload, event=event, delivery_id=delivery_id, timestamp=timestamp(now))
    at = int(now.timestamp()) - late
    return body, envelope.headers(body, event=event, delivery_id=delivery_id, at=at, secrets=secrets)


def test_page__blocks_that_it_says_are_executed__are_those_of_these_tests() -> None:
    assert names() == {
        "python library",
        "python receiver",
        "python signature",
        "javascript receiver",
        "javascript signature",
    }


@pytest.fixture(scope="module", params=["python", "javascript"])
def receiver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """The page's receiver, which knows the new secret. Each test has deliveries of its own."""
    with running(command_for(request.param, tmp_path_factory.mktemp("receiver")), NEW) as found:
        yield found


@pytest.mark.parametrize("event", EVENTS)
def test_receiver__of_each_event__takes_it_and_works_once(receiver: Receiver, event: str) -> None:
    delivery_id = f"0192f3a0-1b5c-7d1e-8f00-{list(EVENTS).index(event):012}"
    assert receiver.post(*sent(NEW, event=event, delivery_id=delivery_id)) == 204
    assert receiver.handled() == event
    assert receiver.post(*sent(NEW, event=event, delivery_id=delivery_id)) == 204, "a later attempt of the same"
    assert receiver.handled() is None


def test_receiver__while_a_secret_is_rotated__takes_what_is_signed_with_either(receiver: Receiver) -> None:
    for number, secrets in enumerate([(OLD, NEW), (NEW, OLD)]):
        assert receiver.post(*sent(*secrets, delivery_id=f"rotated-{number}")) == 204
        assert receiver.handled() == "experiment.started"


def without(request: Sent, header: str) -> Sent:
    body, headers = request
    return body, {name: value for name, value in headers.items() if name != header}


def with_header(request: Sent, header: str, value: str) -> Sent:
    body, headers = request
    return body, {**headers, header: value}


def forged() -> dict[str, Sent]:
    """What we did not send, or not like this, or not now."""
    body, headers = ours = sent(NEW, delivery_id="forged")
    signature = headers["webhook-signature"]
    return {
        "another secret": sent(OTHER, delivery_id="forged"),
        "another body": (body.replace(b"started", b"stopped"), headers),
        "a space more": (body + b" ", headers),
        "another id": with_header(ours, "webhook-id", "forged-2"),
        "another time": with_header(ours, "webhook-timestamp", str(int(headers["webhook-timestamp"]) + 1)),
        "six minutes old": sent(NEW, delivery_id="forged", late=360),
        "six minutes early": sent(NEW, delivery_id="forged", late=-360),
        "no id": without(ours, "webhook-id"),
        "no time": without(ours, "webhook-timestamp"),
        "no signature": without(ours, "webhook-signature"),
        "an empty signature": with_header(ours, "webhook-signature", ""),
        "half a signature": with_header(ours, "webhook-signature", signature[:-4]),
        "another version": with_header(ours, "webhook-signature", signature.replace("v1,", "v2,")),
        "no ASCII": with_header(ours, "webhook-signature", "v1,\xfc" + signature[4:]),
    }


@pytest.mark.parametrize("what", forged())
def test_receiver__of_what_we_did_not_send__refuses_and_does_nothing(receiver: Receiver, what: str) -> None:
    assert receiver.post(*forged()[what]) == 401
    assert receiver.handled() is None


IsGenuine = Callable[[str, bytes, str], bool]


def _python(secret: str, body: bytes, header: str) -> bool:
    scope: dict[str, Any] = {}
    exec(code("python signature"), scope)  # our own page, run as readers run it
    return bool(scope["is_genuine"](secret, body, header))


def _javascript(secret: str, body: bytes, header: str) -> bool:
    ask = "\nconst [secret, body, header] = JSON.parse(process.argv[1]);"
    ask += "console.log(isGenuine(secret, Buffer.from(body), header));"
    script = code("javascript signature") + ask
    question = json.dumps([secret, body.decode(), header])
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script, question], capture_output=True, check=True, text=True
    )
    return bool(json.loads(done.stdout))


@pytest.mark.parametrize("is_genuine", [_python, _javascript], ids=["python", "javascript"])
def test_service_signature__by_the_page__is_told_from_any_other(is_genuine: IsGenuine) -> None:
    body, headers = sent(NEW, OLD)
    signature, previous = headers[envelope.SIGNATURE], headers[envelope.PREVIOUS_SIGNATURE]
    assert is_genuine(NEW, body, signature)
    assert is_genuine(OLD, body, previous)
    refused: Sequence[tuple[str, bytes, str]] = [
        (OLD, body, signature),
        (NEW, body, previous),
        (NEW, body + b" ", signature),
        (NEW, body, signature[:-1]),
        (NEW, body, ""),
        (NEW, body, "ü" * len(signature)),
    ]
    assert not [each for each in refused if is_genuine(*each)]


def test_library__as_the_page_calls_it__gives_the_event_and_refuses_another_secret() -> None:
    scope: dict[str, Any] = {}
    exec(code("python library"), scope)  # our own page, run as readers run it
    body, headers = sent(NEW)
    assert scope["receive"](NEW, body, headers) == json.loads(body)
    with pytest.raises(WebhookVerificationError):
        scope["receive"](OTHER, body, headers)
