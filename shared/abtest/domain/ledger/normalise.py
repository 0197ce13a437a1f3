"""Conversion of an event as a browser or a server sent it to a ledger row, or to the reason why it is set aside."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.ledger.context import country_of, named_device, named_source, named_visitor_kind, source_of
from abtest.domain.ledger.events import (
    EVENT_TYPES,
    MAX_AGE_MS,
    MAX_AHEAD_MS,
    MAX_DATA_BYTES,
    MAX_DATA_DEPTH,
    MAX_ID_CHARS,
    MAX_MONEY_MINOR,
    MAX_URL_CHARS,
    SELECTOR_MISSING,
    WITHOUT_STICKY,
    Cohort,
    Device,
    Reason,
    Row,
    clock_error,
)
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from abtest.kit.money import CURRENCIES, to_minor

_MONEY_TYPES = frozenset({"order", "refund", "goal", "custom"})
_NO_MONEY = (None, None, None, None)
_COHORTS: Mapping[str, Cohort] = {"holdout": "holdout", "active": "active"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Facts that a request has about its visitor; none where a server sends events of many visitors."""

    is_browser: bool = False
    device: Device | None = None
    country: str | None = None


SERVER = Origin()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Shop, time and origin of a batch; `sent_at` is by the sender's clock. Times are Unix milliseconds."""

    shop_id: str
    received_at: int
    sent_at: int | None = None
    origin: Origin = SERVER

    def correction(self) -> int:
        """Return the milliseconds to add to the sender's times: 0 unless its clock is wrong beyond doubt."""
        return clock_error(self.received_at, self.sent_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """An event that is not counted: the reason, and the id that it claims."""

    reason: Reason
    event_id: str | None


class RefusedError(Exception):
    """The event cannot become a row, for this reason."""

    def __init__(self, reason: Reason) -> None:
        self.reason = reason


def normalise(event: Json, arrival: Arrival, correction: int = 0) -> Row | Quarantine:
    """Return the ledger row of an event, or its quarantine. `correction` is `arrival.correction()`, once a batch."""
    try:
        if not isinstance(event, dict):
            raise RefusedError("not_an_object")
        kind = _kind(event, arrival.shop_id)
        row = _row(event, kind, arrival, correction)
        _check_complete(kind, row, event.get("data") or {})
        return row
    except RefusedError as refused:
        return Quarantine(reason=refused.reason, event_id=claimed_id(event))


def claimed_id(event: Json) -> str | None:
    """Return the id that an event names, even if its other fields are invalid."""
    if not isinstance(event, dict):
        return None
    event_id = event.get("eventId", event.get("event_id"))
    return event_id if isinstance(event_id, str) and 0 < len(event_id) <= MAX_ID_CHARS else None


def _kind(event: Mapping[str, object], own_shop: str) -> str:
    """Return the type of an event of this shop."""
    kind = event.get("type")
    if not isinstance(kind, str) or kind not in EVENT_TYPES:
        raise RefusedError("unknown_type")
    shop_id = event.get("shopId")
    # Equal ids are the usual case, so only other values pay for the comparison without case.
    if shop_id is None or shop_id == own_shop or (isinstance(shop_id, str) and shop_id.lower() == own_shop.lower()):
        return kind
    raise RefusedError("foreign_shop")


def _row(event: Mapping[str, object], kind: str, arrival: Arrival, correction: int) -> Row:
    # Of several flaws the first one in this order is the reason.
    visitor_id = _text(event.get("visitorId"))
    if visitor_id is None:
        raise RefusedError("missing_visitor_id")
    sent_ts = event.get("ts")
    ts = corrected_time(sent_ts, arrival.received_at, correction)
    inside = _data(event.get("data"))
    text = _data_text(inside)
    experiment_id = _either(event, inside, "experimentId", "experiment_id")
    variation_id = _either(event, inside, "variationId", "variation_id")
    url = _url(event.get("url"))
    revenue_minor, currency, shop_revenue_minor, shop_currency = _money(inside) if kind in _MONEY_TYPES else _NO_MONEY
    cohort, config_epoch = cohort_of(inside) if kind == "pageview" else (None, None)
    origin = arrival.origin
    # In the order of their names, in which they are written: sorting a sorted dict costs next to nothing.
    return {
        "assignment_epoch": _epoch(event, inside),
        "cohort": cohort,
        "country": country_of(inside.get("country")) or origin.country,
        "currency": currency,
        "data": text,
        "device": named_device(inside.get("device")) or origin.device,
        # An event without an id gets one that is the same when it is sent again. Experiment and variation take part,
        # because they may be outside the data, and one page shows many at one time.
        # The time is the sender's own, because the correction differs between requests.
        "event_id": _either(event, {}, "eventId", "event_id")
        or canonical_json.sha256([arrival.shop_id, visitor_id, kind, sent_ts, text, experiment_id, variation_id]),
        "event_name": named_event(kind, event, inside, origin),
        "experiment_id": experiment_id,
        "goal_id": _text(inside.get("goalId")),
        "holdout_config_epoch": config_epoch,
        "order_id": _order_id(inside.get("orderId")),
        "qa_mode": _flag(event.get("qa_mode")),
        "received_at": arrival.received_at,
        "revenue_minor": revenue_minor,
        "sender": "browser" if origin.is_browser else "server",
        "sent_at": arrival.sent_at,
        "session_id": _text(event.get("sessionId")),
        "shop_currency": shop_currency,
        "shop_id": arrival.shop_id,
        "shop_revenue_minor": shop_revenue_minor,
        "source": named_source(inside.get("source"), url)
        or (source_of(url, inside.get("referrer")) if origin.is_browser else None),
        "ts": ts,
        "type": kind,
        "url": url,
        "variation_id": variation_id,
        "visitor_id": visitor_id,
        "visitor_kind": named_visitor_kind(inside.get("visitor")),
    }


def _check_complete(kind: str, row: Row, data: Mapping[str, object]) -> None:
    """Refuse an event without the field that its type requires."""
    if kind == "experiment_viewed":
        if row["experiment_id"] is None:
            raise RefusedError("missing_experiment_id")
        if row["variation_id"] is None:
            raise RefusedError("missing_variation_id")
    elif kind == "goal" and row["goal_id"] is None:
        raise RefusedError("missing_goal_id")
    elif kind == "custom" and row["event_name"] is None:
        raise RefusedError("missing_event_name")
    elif kind in {"order", "refund"} and data.get("revenue") is None:
        raise RefusedError("missing_revenue")


def _text(value: object) -> str | None:
    """Return an optional id or name; an empty one counts as absent."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and len(value) <= MAX_ID_CHARS:
        return value
    raise RefusedError("invalid_field")


def _either(event: Mapping[str, object], data: Mapping[str, object], name: str, alias: str) -> str | None:
    """Return a field by either of its names, from the top level or else from the data."""
    value = event.get(name)
    if value is None:
        value = event.get(alias)
    if value is None and data:
        value = data.get(name)
        if value is None:
            value = data.get(alias)
    return None if value is None else _text(value)


def named_event(kind: str, event: Mapping[str, object], data: Mapping[str, object], origin: Origin) -> str | None:
    """Return the event's name.

    It is SELECTOR_MISSING for that kind of `sdk_error`, and WITHOUT_STICKY for a server's exposure unless it has
    `is_sticky: true`.
    """
    if kind == "sdk_error" and data.get("kind") == SELECTOR_MISSING:
        return SELECTOR_MISSING
    if kind != "experiment_viewed":
        return _text(data.get("event_name"))
    # A browser has the variations in its cookie.
    if origin.is_browser or _flag(event.get("is_sticky", data.get("is_sticky"))):
        return None
    return WITHOUT_STICKY


def corrected_time(ts: object, received_at: int, correction: int) -> int:
    """Return an event's time by our clock, at most a day after its arrival and a week before. Raises RefusedError."""
    if ts is None:
        raise RefusedError("missing_ts")
    # `type`, because True is an int as well.
    if type(ts) is not int:
        raise RefusedError("invalid_field")
    corrected = ts + correction
    if corrected > received_at + MAX_AHEAD_MS:
        raise RefusedError("ts_in_future")
    if corrected < received_at - MAX_AGE_MS:
        raise RefusedError("ts_too_old")
    return corrected


def _url(url: object) -> str | None:
    if url is None:
        return None
    if not isinstance(url, str):
        raise RefusedError("invalid_field")
    # Cut and not refused: a long query must not cost the event.
    return url[:MAX_URL_CHARS]


def _order_id(order_id: object) -> str | None:
    # Order ids are numbers in some shops; the same order must have one id.
    # The limit keeps such an id short, as MAX_ID_CHARS does for texts.
    if type(order_id) is int and abs(order_id) < 10**30:
        return str(order_id)
    return _text(order_id)


def _flag(value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise RefusedError("invalid_field")
    return bool(value)


def _data(data: object) -> Mapping[str, object]:
    if data is not None and not isinstance(data, dict):
        raise RefusedError("invalid_field")
    return data or {}


def _data_text(data: Mapping[str, object]) -> str:
    if not data:
        return "{}"
    try:
        text = canonical_json.dumps(data)
    except RecursionError as error:
        raise RefusedError("data_too_deep") from error
    # Counting brackets is fast, and hardly any event has enough of them to need the exact depth.
    if text.count("{") + text.count("[") > MAX_DATA_DEPTH and canonical_json.is_deeper(data, MAX_DATA_DEPTH):
        raise RefusedError("data_too_deep")
    # A character has at most four bytes in UTF-8, so short texts need not be encoded.
    # Without `surrogatepass` half of a surrogate pair would raise.
    if len(text) > MAX_DATA_BYTES // 4 and len(text.encode(errors="surrogatepass")) > MAX_DATA_BYTES:
        raise RefusedError("data_too_large")
    return text


def _epoch(event: Mapping[str, object], data: Mapping[str, object]) -> int | None:
    value = event.get("assignment_epoch")
    if value is None:
        value = data.get("assignment_epoch")
    if value is None:
        return None
    if type(value) is not int or not 1 <= value < 2**31:
        raise RefusedError("invalid_field")
    return value


def _money(data: Mapping[str, object]) -> tuple[int | None, str | None, int | None, str | None]:
    """Return minor units and currency of the sender, then the same money in the shop's currency if both are given.

    An amount whose currency is missing or unknown counts hundredths.
    """
    amount = data.get("revenue")
    if amount is None:
        return _NO_MONEY
    currency = _currency(data.get("currency"))
    # Without a known currency the amount is still checked, and counts hundredths as dollars do.
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
        raise RefusedError("invalid_revenue")
    # Decimal accepts more texts than JSON has numbers: other digits, spaces, underscores.
    if isinstance(amount, str) and not (
        len(amount) <= 40 and amount.isascii() and amount.strip() == amount and "_" not in amount
    ):
        raise RefusedError("invalid_revenue")
    try:
        minor = to_minor(amount, currency)
    except ValueError as error:
        raise RefusedError("invalid_revenue") from error
    # Refunds are positive too: their sign is in the type of the event.
    if not 0 <= minor <= MAX_MONEY_MINOR:
        raise RefusedError("invalid_revenue")
    return minor


def cohort_of(data: Mapping[str, object]) -> tuple[Cohort | None, int | None]:
    """Return cohort and epoch of a page view in a shop with a holdout.

    Both or neither: pages may have properties of such names.
    """
    named, epoch = data.get("cohort"), data.get("holdout_config_epoch")
    if not isinstance(named, str) or named not in _COHORTS or type(epoch) is not int or not 0 <= epoch < 2**53:
        return None, None
    return _COHORTS[named], epoch
