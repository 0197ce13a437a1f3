"""From an event as a browser or a server sent it to a ledger row, or to the reason why it is set aside."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.ledger.context import country_of, device_told, source_of, source_told, visitor_told
from abtest.domain.ledger.events import (
    EVENT_TYPES,
    MAX_AGE_MS,
    MAX_AHEAD_MS,
    MAX_DATA_BYTES,
    MAX_DATA_DEPTH,
    MAX_ID_CHARS,
    MAX_MONEY_MINOR,
    MAX_SKEW_MS,
    MAX_URL_CHARS,
    MIN_SKEW_MS,
    Cohort,
    Device,
    Reason,
    Row,
)
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from abtest.kit.money import CURRENCIES, to_minor

_MONEY_TYPES = frozenset({"order", "refund", "goal", "custom"})
_NO_MONEY = (None, None, None, None)
_COHORTS: Mapping[str, Cohort] = {"holdout": "holdout", "active": "active"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a request tells of the visitors in it, whatever its events say; nothing where a server sends for many."""

    is_browser: bool = False
    device: Device | None = None
    country: str | None = None


SERVER = Origin()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """When, from where and for whom a batch came; `sent_at` is the sender's own clock. All in Unix milliseconds."""

    shop_id: str
    received_at: int
    sent_at: int | None = None
    origin: Origin = SERVER

    def correction(self) -> int:
        """Milliseconds to add to the sender's times: its clock error where that is large enough to be one.

        Requests are stamped when they are sent, so a difference of seconds is no latency: uncorrected, a clock that is
        slow by minutes would put the first exposures of an experiment before its launch, and they would be lost.
        """
        if self.sent_at is None:
            return 0
        skew = self.received_at - self.sent_at
        return skew if MIN_SKEW_MS <= abs(skew) <= MAX_SKEW_MS else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """An event that is not counted: why, and the id it claims to have."""

    reason: Reason
    event_id: str | None


class _RefusedError(Exception):
    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def normalise(event: Json, arrival: Arrival, correction: int = 0) -> Row | Quarantine:
    """The ledger row of an event, or why there is none. `correction` is `arrival.correction()`, taken once a batch."""
    try:
        return _row(event, arrival, correction)
    except _RefusedError as refused:
        return Quarantine(reason=refused.reason, event_id=claimed_id(event))


def claimed_id(event: Json) -> str | None:
    """The id that an event names, whatever else is wrong with it."""
    if not isinstance(event, dict):
        return None
    found = event.get("eventId", event.get("event_id"))
    return found if isinstance(found, str) and 0 < len(found) <= MAX_ID_CHARS else None


def _row(event: Json, arrival: Arrival, correction: int) -> Row:
    if not isinstance(event, dict):
        raise _RefusedError("not_an_object")
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in EVENT_TYPES:
        raise _RefusedError("unknown_type")
    shop_id = event.get("shopId")
    if shop_id is not None and shop_id != arrival.shop_id:
        _check_shop(shop_id, arrival.shop_id)
    visitor_id = _text(event.get("visitorId"))
    if visitor_id is None:
        raise _RefusedError("missing_visitor_id")
    sent_ts = event.get("ts")
    ts = _time(sent_ts, arrival.received_at, correction)
    data = event.get("data")
    text = _data_text(data)
    inside: Mapping[str, object] = data or {}
    experiment_id = _either(event, inside, "experimentId", "experiment_id")
    variation_id = _either(event, inside, "variationId", "variation_id")
    url = _url(event.get("url"))
    revenue_minor, currency, shop_revenue_minor, shop_currency = _money(inside) if kind in _MONEY_TYPES else _NO_MONEY
    cohort, config_epoch = _cohort(inside) if kind == "pageview" else (None, None)
    origin = arrival.origin
    # In the order of their names, in which they are written: sorting what is sorted costs next to nothing.
    row: Row = {
        "assignment_epoch": _epoch(event, inside),
        "cohort": cohort,
        "country": country_of(inside.get("country")) or origin.country,
        "currency": currency,
        "data": text,
        "device": device_told(inside.get("device")) or origin.device,
        "event_id": _either(event, {}, "eventId", "event_id")
        or _derived_id(arrival.shop_id, visitor_id, kind, sent_ts, text, experiment_id, variation_id),
        "event_name": _text(inside.get("event_name")),
        "experiment_id": experiment_id,
        "goal_id": _text(inside.get("goalId")),
        "holdout_config_epoch": config_epoch,
        "order_id": _order_id(inside.get("orderId")),
        "qa_mode": _flag(event.get("qa_mode")),
        "received_at": arrival.received_at,
        "revenue_minor": revenue_minor,
        "sent_at": arrival.sent_at,
        "session_id": _text(event.get("sessionId")),
        "shop_currency": shop_currency,
        "shop_id": arrival.shop_id,
        "shop_revenue_minor": shop_revenue_minor,
        "source": source_told(inside.get("source"), url)
        or (source_of(url, inside.get("referrer")) if origin.is_browser else None),
        "ts": ts,
        "type": kind,
        "url": url,
        "variation_id": variation_id,
        "visitor_id": visitor_id,
        "visitor_kind": visitor_told(inside.get("visitor")),
    }
    _check_complete(kind, row, inside)
    return row


def _check_shop(given: object, right: str) -> None:
    if not isinstance(given, str) or given.lower() != right.lower():
        raise _RefusedError("foreign_shop")


def _check_complete(kind: str, row: Row, data: Mapping[str, object]) -> None:
    """Refuse an event that lacks what its type is for."""
    if kind == "experiment_viewed":
        if row["experiment_id"] is None:
            raise _RefusedError("missing_experiment_id")
        if row["variation_id"] is None:
            raise _RefusedError("missing_variation_id")
    elif kind == "goal" and row["goal_id"] is None:
        raise _RefusedError("missing_goal_id")
    elif kind == "custom" and row["event_name"] is None:
        raise _RefusedError("missing_event_name")
    elif kind in {"order", "refund"} and data.get("revenue") is None:
        raise _RefusedError("missing_revenue")


def _text(value: object) -> str | None:
    """An optional id or name; empty is as good as absent."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and len(value) <= MAX_ID_CHARS:
        return value
    raise _RefusedError("invalid_field")


def _either(event: Mapping[str, object], data: Mapping[str, object], name: str, alias: str) -> str | None:
    """A field by either of its names, at the top level or else in the data."""
    value = event.get(name)
    if value is None:
        value = event.get(alias)
    if value is None and data:
        value = data.get(name)
        if value is None:
            value = data.get(alias)
    return None if value is None else _text(value)


def _time(ts: object, received_at: int, correction: int) -> int:
    """The corrected time of an event, at most a day ahead of its arrival and a week behind."""
    if ts is None:
        raise _RefusedError("missing_ts")
    if type(ts) is not int:
        raise _RefusedError("invalid_field")
    corrected = ts + correction
    if corrected > received_at + MAX_AHEAD_MS:
        raise _RefusedError("ts_in_future")
    if corrected < received_at - MAX_AGE_MS:
        raise _RefusedError("ts_too_old")
    return corrected


def _data_text(data: object) -> str:
    if data is None:
        return "{}"
    if not isinstance(data, dict):
        raise _RefusedError("invalid_field")
    try:
        text = canonical_json.dumps(data)
    except RecursionError as error:
        raise _RefusedError("data_too_deep") from error
    # Hardly any event has that many brackets, so hardly any is walked through.
    if text.count("{") + text.count("[") > MAX_DATA_DEPTH and canonical_json.is_deeper(data, MAX_DATA_DEPTH):
        raise _RefusedError("data_too_deep")
    # A character has at most four bytes in UTF-8, so short texts need no second look.
    if len(text) > MAX_DATA_BYTES // 4 and len(text.encode(errors="surrogatepass")) > MAX_DATA_BYTES:
        raise _RefusedError("data_too_large")
    return text


def _epoch(event: Mapping[str, object], data: Mapping[str, object]) -> int | None:
    value = event.get("assignment_epoch")
    if value is None:
        value = data.get("assignment_epoch")
    if value is None:
        return None
    if type(value) is not int or not 1 <= value < 2**31:
        raise _RefusedError("invalid_field")
    return value


def _order_id(value: object) -> str | None:
    """Order ids are numbers in some shops; the same order must have one id."""
    if type(value) is int and abs(value) < 10**30:
        return str(value)
    return _text(value)


def _url(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise _RefusedError("invalid_field")
    return value[:MAX_URL_CHARS]


def _flag(value: object) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise _RefusedError("invalid_field")


def _money(data: Mapping[str, object]) -> tuple[int | None, str | None, int | None, str | None]:
    """Minor units and currency of the sender, then the same money in the shop's currency where both were told.

    An amount whose currency is not told or unknown counts hundredths.
    """
    amount = data.get("revenue")
    if amount is None:
        return _NO_MONEY
    currency = _currency(data.get("currency"))
    # An amount without a known currency is still checked to be an amount.
    minor = _minor(amount, currency or "USD")
    shop_amount, shop_currency = data.get("shopRevenue"), _currency(data.get("shopCurrency"))
    if shop_amount is None or shop_currency is None:
        return minor, currency, None, None
    return minor, currency, _minor(shop_amount, shop_currency), shop_currency


def _currency(named: object) -> str | None:
    if not isinstance(named, str) or len(named) != 3:
        return None
    return named if named in CURRENCIES else named.upper() if named.upper() in CURRENCIES else None


def _minor(amount: object, currency: str) -> int:
    if isinstance(amount, bool) or not isinstance(amount, int | float | str):
        raise _RefusedError("invalid_revenue")
    if isinstance(amount, str) and not _is_decimal(amount):
        raise _RefusedError("invalid_revenue")
    try:
        minor = to_minor(amount, currency)
    except ValueError as error:
        raise _RefusedError("invalid_revenue") from error
    if not 0 <= minor <= MAX_MONEY_MINOR:
        raise _RefusedError("invalid_revenue")
    return minor


def _cohort(data: Mapping[str, object]) -> tuple[Cohort | None, int | None]:
    """Of a page view in a shop with a holdout; both or neither, since pages may have properties of such names."""
    named, epoch = data.get("cohort"), data.get("holdout_config_epoch")
    if not isinstance(named, str) or named not in _COHORTS or type(epoch) is not int or not 0 <= epoch < 2**53:
        return None, None
    return _COHORTS[named], epoch


def _is_decimal(text: str) -> bool:
    return len(text) <= 40 and text.isascii() and text.strip() == text and "_" not in text


def _derived_id(
    shop_id: str, visitor_id: str, kind: str, ts: object, data: str, experiment_id: str | None, variation_id: str | None
) -> str:
    """The id of an event that has none: the same event sent again has the same one.

    Experiment and variation take part, because they may stand outside the data, and one page shows many at one time.
    """
    return canonical_json.sha256([shop_id, visitor_id, kind, ts, data, experiment_id, variation_id])
