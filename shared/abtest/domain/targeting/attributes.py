"""What a visit is known to have before anybody adds to it (section 2.3 of docs/data-model.md)."""

from collections.abc import Iterable, Mapping

from abtest.domain.targeting.urls import Address, first_values
from abtest.domain.targeting.weekdays import LocalTimes

_UTM = "utm_"


def attributes_of(
    visitor_id: str | None,
    customer_id: str | None,
    given: Mapping[str, object],
    address: Address | None,
    times: LocalTimes,
    zones: Iterable[str] = (),
) -> dict[str, object]:
    """The derived attributes, and over them the given ones, whose top-level names win."""
    query = first_values(address.search) if address is not None and address.search else {}
    derived: dict[str, object] = {
        "logged_in": customer_id is not None,
        "query": query,
        "utm": {name.removeprefix(_UTM): value for name, value in query.items() if name.startswith(_UTM)},
        "local": {zone: local for zone in zones if (local := times.at(zone)) is not None},
    }
    known = {"id": visitor_id, "customer_id": customer_id, "url": address.href if address else None}
    derived |= {name: value for name, value in known.items() if value is not None}
    return derived | dict(given)
