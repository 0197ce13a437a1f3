"""A batch of events as one request brings it: its envelope, its limits, and its sorting into rows and quarantine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.ledger import salvage
from abtest.domain.ledger.aside import sample_of
from abtest.domain.ledger.events import MAX_EVENTS, UNSTORABLE, Reason, Row
from abtest.domain.ledger.normalise import Arrival, Quarantine, claimed_id, normalise
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from abtest.kit.errors import ServiceError

# NUL is searched as its escape; the lookbehind and the pairs skip an escaped backslash before the letters u0000.
_UNSTORABLE = re.compile(f"[{UNSTORABLE}]|(?<!\\\\)(?:\\\\\\\\)*\\\\u0000")
# A fast test of the raw bytes: such a text is escaped, or begins with EF BF (U+FFFE, U+FFFF). Unescaped surrogates
# are not UTF-8, so the strict parser refuses them.
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
    """The events of a request, unchecked, and the fields around them. `sent_at` is in Unix milliseconds.

    `is_suspect`: some event may have text that cannot be stored, or a value that strict JSON refuses.
    `sent_at_ignored`: there is a `sentAt`, but it cannot be a moment.
    """

    events: Sequence[Json]
    is_suspect: bool = False
    shop_id: str | None = None
    signature: str | None = None
    sent_at: int | None = None
    sent_at_ignored: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """A quarantined event: its position in the batch, and the beginning of its JSON."""

    index: int
    verdict: Quarantine
    sample: str

    @classmethod
    def of(cls, index: int, event: Json, verdict: Quarantine) -> "SetAside":
        """Set an event aside with a sample of it."""
        try:
            sample = sample_of(canonical_json.dumps(event))
        except RecursionError:
            sample = "(nested too deeply to show)"
        return cls(index=index, verdict=verdict, sample=sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """A batch after every event was checked: rows to keep, events set aside, copies dropped."""

    rows: Sequence[Row]
    set_aside: Sequence[SetAside]
    deduplicated: int


def read_envelope(body: bytes) -> Envelope:
    """Read a body: a list of events, or an object that holds one. Raises InvalidBatchError.

    A flaw inside an event sets that event aside; a flaw around the events refuses the whole body.
    """
    try:
        document, is_suspect = canonical_json.loads_request(body), any(sign in body for sign in _SIGNS_OF_IT)
    except canonical_json.InvalidJsonError as error:
        document, is_suspect = _salvaged(body, error), True
    if isinstance(document, list):
        return Envelope(events=document, is_suspect=is_suspect)
    if not isinstance(document, dict) or not isinstance(document.get("events"), list):
        raise InvalidBatchError("the body must be a list of events, or an object with a list named events")
    sent_at = document.get("sentAt")
    # `type`, because True is an int as well.
    is_moment = type(sent_at) is int and 0 <= sent_at < 2**53
    return Envelope(
        events=document["events"],
        is_suspect=is_suspect,
        shop_id=_credential(document, "_shopId"),
        signature=_credential(document, "_signature"),
        # A wrong `sentAt` costs the clock correction only, not the batch.
        sent_at=sent_at if is_moment else None,
        sent_at_ignored=sent_at is not None and not is_moment,
    )


def _salvaged(body: bytes, refused: canonical_json.InvalidJsonError) -> Json:
    try:
        document = salvage.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidBatchError(f"the body is not JSON: {refused}") from error
    if isinstance(document, dict):
        # The same class of object: an `Ambiguous` one stays a mark.
        around = type(document)({name: value for name, value in document.items() if name != "events"})
        if salvage.is_marked(around):
            raise InvalidBatchError(f"the body is not JSON: {refused}")
    return document


def check_size(envelope: Envelope) -> None:
    """Check the number of events. Raises EmptyBatchError, BatchTooLargeError."""
    if not envelope.events:
        raise EmptyBatchError("the batch has no events; send at least one")
    if len(envelope.events) > MAX_EVENTS:
        raise BatchTooLargeError(f"a batch must have at most {MAX_EVENTS} events; this one has {len(envelope.events)}")


def sort_batch(events: Sequence[Json], arrival: Arrival, *, is_suspect: bool) -> Sorted:
    """Sort events one by one: a row, a copy of an earlier one in the batch (by event id), or set aside."""
    rows: dict[str, Row] = {}
    set_aside: list[SetAside] = []
    correction = arrival.correction()
    for index, event in enumerate(events):
        result = (_flawed(event) if is_suspect else None) or normalise(event, arrival, correction)
        if isinstance(result, Quarantine):
            set_aside.append(SetAside.of(index, event, result))
        else:
            rows.setdefault(result["event_id"], result)
    return Sorted(rows=list(rows.values()), set_aside=set_aside, deduplicated=len(events) - len(set_aside) - len(rows))


def _flawed(event: Json) -> Quarantine | None:
    """Return why an event of a suspect body cannot be stored; None when the flaw is elsewhere."""
    reason: Reason | None
    try:
        reason = "invalid_text" if _UNSTORABLE.search(canonical_json.dumps(event)) else salvage.flaw_in(event)
    except RecursionError:
        reason = "data_too_deep"
    if reason is None:
        return None
    event_id = claimed_id(event)
    # The id is stored in the quarantine, so it must not be the text that cannot be stored.
    if event_id is not None and _UNSTORABLE.search(canonical_json.dumps(event_id)):
        event_id = None
    return Quarantine(reason=reason, event_id=event_id)


def _credential(document: dict[str, object], name: str) -> str | None:
    """Return a credential of the body; one of another type becomes an empty text, which matches nothing."""
    value = document.get(name)
    return value if value is None or isinstance(value, str) else ""
