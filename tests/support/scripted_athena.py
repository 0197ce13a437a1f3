"""Athena as moto plays it, made to fail as the real one does: busy, silent, out of bytes, cancelled, in pages.

It stands on the wire between the client and moto, keeps what was asked, and honours request tokens, as moto does not.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError
from moto.athena.models import QueryResults, athena_backends
from moto.core.models import botocore_stubber

from abtest.adapters import aws
from tools.local.template.intrinsics import ACCOUNT, REGION

Body = dict[str, Any]
Handler = Callable[..., None]
Play = Callable[["ScriptedAthena", Body, Callable[[], Body]], Body]
"""What happens to one call: gets its request and a way to have moto answer it, gives the answer or raises."""


class RefusedError(Exception):
    """An error answer."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message)
        self.code = code


class ScriptedAthena:
    """Plays that wait for the next calls, by action; without one moto answers."""

    def __init__(self) -> None:
        self.asked: defaultdict[str, list[Body]] = defaultdict(list)
        self.started: dict[str, Body] = {}
        self._plays: defaultdict[str, list[Play]] = defaultdict(list)
        events = aws.athena().meta.events
        # botocore's stubs know only handlers that return nothing; before-send handlers may return an answer.
        # All handlers are called, whatever the first one answers, so moto's is called from `_send` alone.
        events.unregister("before-send", cast(Handler, botocore_stubber))
        events.register("before-send.athena", cast(Handler, self._send))

    def play(self, action: str, *plays: Play) -> None:
        """What the next calls of the action meet."""
        self._plays[action] += plays

    def results(self, *columns: tuple[str, str], rows: list[list[str | None]]) -> None:
        """What moto answers to the next query: columns as (name, type), texts as Athena writes them."""
        header = [{"Data": [{"VarCharValue": name} for name, _ in columns]}]
        data = [{"Data": [{} if text is None else {"VarCharValue": text} for text in row]} for row in rows]
        info = [{"Name": name, "Type": type_} for name, type_ in columns]
        athena_backends[ACCOUNT][REGION].query_results_queue.append(QueryResults(header + data, info))

    def _send(self, request: AWSPreparedRequest, event_name: str, **_: Any) -> AWSResponse:
        action = event_name.rpartition(".")[2]
        assert isinstance(request.body, str | bytes)
        body: Body = json.loads(request.body)
        self.asked[action].append(body)

        def moto() -> Body:
            answered = botocore_stubber(event_name=event_name, request=request)
            assert answered is not None
            return dict(json.loads(answered.content))

        try:
            play = self._plays[action].pop(0) if self._plays[action] else _by_moto
            return _response(request, 200, play(self, body, moto))
        except RefusedError as refusal:
            return _response(request, 400, {"__type": refusal.code, "message": str(refusal)})


def _by_moto(service: ScriptedAthena, body: Body, moto: Callable[[], Body]) -> Body:
    token = body.get("ClientRequestToken")
    if token is None:
        return moto()
    if token not in service.started:
        service.started[token] = moto()
    return service.started[token]


def busy(code: str) -> Play:
    """The call is refused, nothing happens."""

    def play(_service: ScriptedAthena, _body: Body, _moto: Callable[[], Body]) -> Body:
        raise RefusedError(code, "Rate exceeded")

    return play


def lost(service: ScriptedAthena, body: Body, moto: Callable[[], Body]) -> Body:
    """The call is done, its answer never arrives."""
    _by_moto(service, body, moto)
    raise ReadTimeoutError(endpoint_url="athena")


def ended(state: str, reason: str = "", scanned: int = 0, **error: Any) -> Play:
    """The query is over in this state."""

    def play(_service: ScriptedAthena, _body: Body, moto: Callable[[], Body]) -> Body:
        answer = moto()
        status = {"State": state, "StateChangeReason": reason} | ({"AthenaError": error} if error else {})
        answer["QueryExecution"] |= {"Status": status, "Statistics": {"DataScannedInBytes": scanned}}
        return answer

    return play


def page(first: int, last: int, token: str | None) -> Play:
    """Some lines of the answer, and a token that leads to more."""

    def play(_service: ScriptedAthena, _body: Body, moto: Callable[[], Body]) -> Body:
        answer = moto()
        answer["ResultSet"]["Rows"] = answer["ResultSet"]["Rows"][first:last]
        return answer | ({"NextToken": token} if token else {})

    return play


def _response(request: AWSPreparedRequest, status: int, body: Body) -> AWSResponse:
    return AWSResponse(request.url, status, HTTPHeaders(), _Raw(json.dumps(body).encode()))


class _Raw:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, *_: Any, **__: Any) -> Any:
        yield self._content
