"""A batch of events as one request brings it: its envelope, its limits, and its sorting into rows and quarantine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.ledger import salvage
from abtest.domain.ledger.aside import sample_of
from abtest.domain.ledger.events import MAX_EVENTS, Reason, Row
from abtest.domain.ledger.normalise import Arrival, Quarantine, claimed_id, normalise
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
    """The events of a request, unchecked, and what stood around them. `sent_at` is in Unix milliseconds.

    `is_suspect`: some event may hold text that cannot be stored, or what strict JSON refuses.
    """

    events: Sequence[Json]
    is_suspect: bool = False
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
    """Read a body: a list of events, or an object that holds one. Raises InvalidBatchError.

    What is wrong inside an event is that event's affair; what is wrong around the events is the whole body's.
    """
    try:
        document, is_suspect = canonical_json.loads(body), any(sign in body for sign in _SIGNS_OF_IT)
    except canonical_json.InvalidJsonError as error:
        document, is_suspect = _salvaged(body, error), True
    if isinstance(document, list):
        return Envelope(events=document, is_suspect=is_suspect)
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        raise InvalidBatchError("send a list of events, or an object with a list named events")
    sent_at = document.get("sentAt")
    return Envelope(
        events=document["events"],
        is_suspect=is_suspect,
        shop_id=_credential(document, "_shopId"),
        signature=_credential(document, "_signature"),
        sent_at=sent_at if type(sent_at) is int and 0 <= sent_at < 2**53 else None,
    )


def _salvaged(body: bytes, refused: canonical_json.InvalidJsonError) -> Json:
    try:
        document = salvage.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidBatchError(f"the body is not JSON: {refused}") from error
    if isinstance(document, dict) and salvage.is_marked(_around(document)):
        raise InvalidBatchError(f"the body is not JSON: {refused}")
    return document


def _around(envelope: dict[str, Json]) -> Json:
    """An envelope without its events, of the same kind of object."""
    return type(envelope)({name: value for name, value in envelope.items() if name != "events"})


def check_size(envelope: Envelope) -> None:
    """Raises EmptyBatchError, BatchTooLargeError."""
    if not envelope.events:
        raise EmptyBatchError("the batch holds no events")
    if len(envelope.events) > MAX_EVENTS:
        raise BatchTooLargeError(f"a request brings at most {MAX_EVENTS} events, this one {len(envelope.events)}")


def sort_batch(events: Sequence[Json], arrival: Arrival, *, is_suspect: bool) -> Sorted:
    """Look at each event alone: a row, a copy of an earlier one in the batch (by event id), or set aside."""
    rows: dict[str, Row] = {}
    set_aside: list[SetAside] = []
    correction = arrival.correction()
    for index, event in enumerate(events):
        verdict = _flawed(event) if is_suspect else None
        found = verdict or normalise(event, arrival, correction)
        if isinstance(found, Quarantine):
            set_aside.append(SetAside(index=index, verdict=found, sample=_sample(event)))
        else:
            rows.setdefault(found["event_id"], found)
    return Sorted(rows=list(rows.values()), set_aside=set_aside, deduplicated=len(events) - len(set_aside) - len(rows))


def _flawed(event: Json) -> Quarantine | None:
    reason = _flaw(event)
    return None if reason is None else Quarantine(reason=reason, event_id=_storable_id(event))


def _flaw(event: Json) -> Reason | None:
    try:
        text = canonical_json.dumps(event)
    except RecursionError:
        return "data_too_deep"
    return "invalid_text" if _UNSTORABLE.search(text) else salvage.flaw_in(event)


def _storable_id(event: Json) -> str | None:
    """The id that the event claims, unless that is what is wrong with it."""
    found = claimed_id(event)
    return None if found is None or _UNSTORABLE.search(canonical_json.dumps(found)) else found


def _sample(event: Json) -> str:
    try:
        return sample_of(canonical_json.dumps(event))
    except RecursionError:
        return "(nested too deeply to show)"


def _credential(document: dict[str, object], name: str) -> str | None:
    """A credential of the body; one of another type is kept as a text that can match nothing."""
    value = document.get(name)
    return value if value is None or isinstance(value, str) else ""
