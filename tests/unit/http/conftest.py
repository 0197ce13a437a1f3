"""A small application on memory adapters: what the plumbing does around any route."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

import pytest

from abtest.contract.base import Input, ListOf, Output
from abtest.http.deps import AnyCaller, Caller, IfMatch, Page, PathId, carries_code, expensive, require
from abtest.http.openapi import build
from abtest.http.route import Router
from abtest.services.retries import EVERY_VERSION
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.openapi import Contract

Writer = Annotated[Caller, require("experiments:write")]


class ThingInput(Input):
    """A thing to be."""

    name: str
    size: int = 1


class Thing(Output):
    """A thing."""

    id: str
    name: str
    size: int


class Bench:
    """The routes and what they did: how often each ran, and what they are to do next."""

    def __init__(self) -> None:
        self.runs = 0
        self.before: Callable[[], None] | None = None
        self.next_error: BaseException | None = None
        self.router = Router("/things", tag="Things")
        self._declare()

    def run(self) -> None:
        self.runs += 1
        if self.before is not None:
            self.before()
        if self.next_error is not None:
            raise self.next_error

    def _declare(self) -> None:
        router = self.router

        @router.post("", operation_id="makeThing", status_code=201)
        def make(body: ThingInput, _caller: Writer) -> Thing:
            self.run()
            return Thing(id=f"thing-{self.runs}", name=body.name, size=body.size).at(1)

        @router.get("", operation_id="listThings")
        def many(page: Page, _caller: AnyCaller, colour: str | None = None) -> ListOf[Thing]:
            start = int(page.after or 0)
            things = [Thing(id=str(n), name=colour or "x", size=n) for n in range(start, min(start + page.limit, 7))]
            return page.page(things, str(start + page.limit) if start + page.limit < 7 else None)

        @router.get("/{thing_id}", operation_id="getThing")
        def one(thing_id: PathId, _caller: AnyCaller, if_match: IfMatch) -> Thing:
            self.run()
            accepted = [if_match] if isinstance(if_match, int) else sorted(if_match or [])
            name = "all" if if_match is None or if_match is EVERY_VERSION else " ".join(map(str, accepted))
            return Thing(id=thing_id, name=name, size=1).at(4)

        @router.post("/{thing_id}/code", operation_id="codeThing")
        @carries_code
        def code(thing_id: PathId, body: ThingInput, _caller: Writer) -> Thing:
            return Thing(id=thing_id, name="x", size=len(body.name)).at(1)

        @router.get("/{thing_id}/dear", operation_id="dearThing")
        @expensive
        def dear(thing_id: PathId, _caller: AnyCaller) -> Thing:
            return Thing(id=thing_id, name="x", size=1).at(1)


class Loose(Contract):
    """The small application's own document, where statuses are checked by the tests themselves."""

    def check(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        if headers.get("x-service-api-version") != "1.0.0" or "x-request-id" not in headers:
            raise AssertionError(f"{method} {path} {status} lacks the headers of every answer")
        if status < 500:
            super().check(method, path, status, headers, body)


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
def api(bench: Bench) -> MemoryApi:
    return MemoryApi([bench.router], {})


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    return api.tenant()


@pytest.fixture
def client(api: MemoryApi, bench: Bench, tenant: Tenant) -> Client:
    return Client(api.handler, key=tenant.admin, against=Loose(build([bench.router])))
