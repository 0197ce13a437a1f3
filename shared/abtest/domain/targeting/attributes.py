"""Derived attributes of a visit (section 2.3 of docs/data-model.md)."""

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
    """Return the derived attributes with the given ones over them; top-level names of the given ones win."""
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
