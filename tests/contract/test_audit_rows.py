"""Audit rows by filters, in memory and on tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from abtest.kit.ids import before_uuid7
from abtest.ports.audit import AuditFilter
from abtest.ports.catalog import AuditRow, Commit
from tests.contract.conftest import Ports
from tests.contract.records import OTHER_SHOP, SHOP, at, audit_row, iso, new_id

USERS, ACTIONS, ENTITIES = ("ada", "bob"), ("experiment.update", "flag.activate"), ("e1", "e2")
DAY = 86_400


@pytest.fixture
def rows(ports: Ports) -> list[AuditRow]:
    """Rows of every combination over three months, oldest first."""
    made = []
    for number, (user, action, entity, _) in enumerate(product(USERS, ACTIONS, ENTITIES, range(2))):
        row = audit_row(number * 4 * DAY, entity_id=entity)
        made.append(replace(row, user_id=user, action=action, entity_type=action.partition(".")[0]))
    for row in made:
        ports.catalog.commit(Commit(audit=[row]))
    ports.catalog.commit(Commit(audit=[audit_row(1, shop_id=OTHER_SHOP)]))
    return made


def every(ports: Ports, filters: AuditFilter, limit: int) -> list[AuditRow]:
    """All pages."""
    rows: list[AuditRow] = []
    after: str | None = None
    while True:
        page, after = ports.audit.page(SHOP, filters, limit=limit, after_id=after)
        assert len(page) <= limit
        rows += page
        if after is None:
            return rows


@pytest.mark.parametrize("user", [None, "ada", "nobody"])
@pytest.mark.parametrize("action", [None, "flag.activate"])
@pytest.mark.parametrize("entity", [None, "e2"])
@pytest.mark.parametrize("entity_type", [None, "flag"])
@pytest.mark.parametrize("within", [False, True])
def test_page__of_filters_alone_and_together__has_exactly_their_rows(
    ports: Ports,
    rows: list[AuditRow],
    user: str | None,
    action: str | None,
    entity: str | None,
    entity_type: str | None,
    within: bool,
) -> None:
    bounds = {"from_id": rows[3].id, "below_id": rows[12].id} if within else {}
    filters = AuditFilter(user_id=user, action=action, entity_id=entity, entity_type=entity_type, **bounds)
    expected = [
        row
        for row in (rows[3:12] if within else rows)
        if user in (None, row.user_id)
        and action in (None, row.action)
        and entity in (None, row.entity_id)
        and entity_type in (None, row.entity_type)
    ][::-1]
    assert every(ports, filters, 100) == expected
    assert every(ports, filters, 3) == expected


def test_page__of_a_rare_combination__ends_after_its_reads_and_continues(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, rows: list[AuditRow]
) -> None:
    for module in ("abtest.adapters.dynamo.audit", "tests.support.memory.audit"):
        monkeypatch.setattr(f"{module}.AUDIT_READ", 4)
    filters = AuditFilter(action=rows[0].action, entity_id=rows[0].entity_id, user_id="bob")
    first, after = ports.audit.page(SHOP, filters, limit=9)
    assert (len(first), after is not None) == (2, True)
    assert every(ports, filters, 9) == [row for row in rows[::-1] if filters.admits(**facts(row))]


def facts(row: AuditRow) -> dict[str, str]:
    """The fields that filters compare."""
    return {name: getattr(row, name) for name in ("entity_type", "entity_id", "action", "user_id")}


def test_row__by_its_id__belongs_to_its_shop(ports: Ports, rows: list[AuditRow]) -> None:
    assert ports.audit.get(SHOP, rows[5].id) == rows[5]
    assert ports.audit.get(OTHER_SHOP, rows[5].id) is None
    assert ports.audit.get(SHOP, new_id(5)) is None
    assert ports.audit.get(SHOP, "7c0b0a4e-5a5c-4d6e-9f00-3c5a7e9b1d2a") is None


def test_rows__between_bounds__come_oldest_first(ports: Ports, rows: list[AuditRow]) -> None:
    assert list(ports.audit.between(SHOP, None, before_uuid7(at(400 * DAY)))) == rows
    assert list(ports.audit.between(SHOP, rows[2].id, rows[11].id)) == rows[2:11]
    assert list(ports.audit.between(SHOP, before_uuid7(at(500 * DAY)), before_uuid7(at(600 * DAY)))) == []


def test_shops__of_a_day__are_those_with_rows_of_it(ports: Ports, rows: list[AuditRow]) -> None:
    assert list(ports.audit.shops("2026-01-31")) == sorted([SHOP, OTHER_SHOP])
    assert list(ports.audit.shops("2026-02-04")) == [SHOP]
    assert list(ports.audit.shops("2026-02-05")) == []


def test_audit__read_before_the_catalog__leaves_its_work_queues_readable(interrupted: Ports) -> None:
    fresh = interrupted.another()
    assert list(fresh.audit.shops("2026-01-31")) == []
    assert fresh.catalog.due("RUN", iso(), limit=1) == []


def test_entries__of_rows__may_be_written_again(ports: Ports, rows: list[AuditRow]) -> None:
    ports.audit.index(rows[:3])
    assert every(ports, AuditFilter(user_id="ada"), 4) == [row for row in rows[::-1] if row.user_id == "ada"]
