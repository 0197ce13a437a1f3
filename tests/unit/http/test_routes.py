"""Routes build their operation at their first request, and only theirs."""

import pytest
from fastapi.exceptions import FastAPIError

from abtest.http.openapi import build
from abtest.http.route import Operation, Route, Router
from tests.support.api import MemoryApi
from tests.support.client import Client
from tests.unit.http.conftest import Bench, Loose


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Ids of the operations that were built, in their order."""
    ids: list[str] = []
    plain = Operation.__init__

    def counted(operation: Operation, *args: object, **options: object) -> None:
        ids.append(str(options["operation_id"]))
        plain(operation, *args, **options)  # type: ignore[arg-type]  # passed on as they came

    monkeypatch.setattr(Operation, "__init__", counted)
    return ids


def test_routes__declared_and_served__build_one_operation_at_its_first_request(built: list[str]) -> None:
    contract = Loose(build([Bench().router]))  # of other routes with the same contract
    built.clear()
    api = MemoryApi([Bench().router], {})
    client = Client(api.handler, key=api.tenant().admin, against=contract)
    assert built == []
    assert [client.get("/things").status, client.get("/things").status, client.get("/nowhere").status] == [
        200,
        200,
        404,
    ]
    assert built == ["listThings"]


def test_route__declared_wrongly__fails_when_its_operation_is_built() -> None:
    def thing() -> Client:  # no model of a response
        raise AssertionError

    router = Router("/things", tag="Things")
    router.get("", operation_id="listThings")(thing)
    assert all(isinstance(route, Route) for route in router.routes)
    with pytest.raises(FastAPIError):
        build([router])
