"""A batch of events as one request brings it: its envelope, its limits, and its sorting into rows and quarantine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.events import MAX_EVENTS, MAX_SAMPLE_CHARS, Row
from abtest.domain.ledger.normalise import Arrival, Quarantine, normalise
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from abtest.kit.errors import ServiceError

# Texts that queues (XML characters only) or databases cannot hold: lone surrogates, non-characters, NUL.
_UNSTORABLE = re.compile("[\ud800-\udfff\ufffe\uffff]|(?<!\\\\)(?:\\\\\\\\)*\\\\u0000")
_SIGNS_OF_IT = (b"\\u", b"\xef\xbf")


class InvalidBatchError(ServiceError):
    """The body is not JSON that holds a list of events."""

    status = 400
    code = "invalid_json"


class EmptyBatchError(ServiceError):
    """The batch holds no event."""

    status = 400
    code = "empty_batch"


class BatchTooLargeError(ServiceError):
    """The batch holds more events than a request may bring."""

    status = 413
    code = "batch_too_large"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """The events of a request, unchecked, and what stood around them. `sent_at` is in Unix milliseconds."""

    events: Sequence[Json]
    shop_id: str | None = None
    signature: str | None = None
    sent_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A quarantined event: where it stood in the batch, and the beginning of what was sent."""

    index: int
    verdict: Quarantine
    sample: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """A batch after every event was looked at: rows to keep, events set aside, copies dropped."""

    rows: Sequence[Row]
    set_aside: Sequence[SetAside]
    deduplicated: int


def read_envelope(body: bytes) -> Envelope:
    """Read a body: a list of events, or an object that holds one. Raises InvalidBatchError."""
    try:
        document = canonical_json.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidBatchError(f"the body is not JSON: {error}") from error
    if isinstance(document, list):
        return Envelope(events=document)
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        raise InvalidBatchError("send a list of events, or an object with a list named events")
    sent_at = document.get("sentAt")
    return Envelope(
        events=document["events"],
        shop_id=_credential(document, "_shopId"),
        signature=_credential(document, "_signature"),
        sent_at=sent_at if type(sent_at) is int and 0 <= sent_at < 2**53 else None,
    )


def check_size(envelope: Envelope) -> None:
    """Raises EmptyBatchError, BatchTooLargeError."""
    if not envelope.events:
        raise EmptyBatchError("the batch holds no events")
    if len(envelope.events) > MAX_EVENTS:
        raise BatchTooLargeError(f"a request brings at most {MAX_EVENTS} events, this one {len(envelope.events)}")


def may_hold_unstorable_text(body: bytes) -> bool:
    """Whether a look at each event is worth while; bodies of browsers hardly ever need it."""
    return any(sign in body for sign in _SIGNS_OF_IT)


def sort_batch(events: Sequence[Json], arrival: Arrival, *, check_text: bool) -> Sorted:
    """Look at each event alone: a row, a copy of an earlier one in the batch (by event id), or set aside."""
    rows: dict[str, Row] = {}
    set_aside: list[SetAside] = []
    correction = arrival.correction()
    for index, event in enumerate(events):
        verdict = _unstorable(event) if check_text else None
        found = verdict or normalise(event, arrival, correction)
        if isinstance(found, Quarantine):
            set_aside.append(SetAside(index=index, verdict=found, sample=_sample(event)))
        else:
            rows.setdefault(found["event_id"], found)
    return Sorted(rows=list(rows.values()), set_aside=set_aside, deduplicated=len(events) - len(set_aside) - len(rows))


def _unstorable(event: Json) -> Quarantine | None:
    try:
        text = canonical_json.dumps(event)
    except RecursionError:
        return Quarantine(reason="data_too_deep", event_id=None)
    return Quarantine(reason="invalid_text", event_id=None) if _UNSTORABLE.search(text) else None


def _sample(event: Json) -> str:
    """The beginning of the event as ASCII, so that whatever made it unstorable can be stored."""
    try:
        return canonical_json.dumps(event)[:MAX_SAMPLE_CHARS].encode("ascii", "backslashreplace").decode()
    except RecursionError:
        return "(nested too deeply to show)"


def _credential(document: dict[str, Any], name: str) -> str | None:
    """A credential of the body; one of another type is kept as a text that can match nothing."""
    value = document.get(name)
    return value if value is None or isinstance(value, str) else ""
