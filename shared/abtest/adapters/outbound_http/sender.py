"""The one outbound client: each address checked, connected to as it was checked, and bounded in time and size.

http.client speaks HTTP; connecting, TLS and every wait are ours, so that no name is looked up twice (a resolver that
answers differently the second time gets no second time) and no variable of the environment names a proxy.
"""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from copy import copy
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse

from abtest.adapters.outbound_http.bodies import read_body, read_remark
from abtest.adapters.outbound_http.connecting import Connection, Connector, Dial, Idle, origin_of, system_dial
from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.names import Resolve, look_up, system_resolve
from abtest.adapters.outbound_http.wire import Wire
from abtest.domain.egress.targets import EgressRules, OperatorChosen, Target, UrlNotAllowedError, joined
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError

MAX_HEADER_BYTES = 64 * 1024
FRAMING = 1.1
"""A body in small chunks is larger on the wire; what it may be beyond that is somebody's joke."""

_GONE = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
"""What it looks like that the other side hung up."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Of a whole exchange, redirects included: seconds from the first lookup to the last byte, bytes of a body."""

    seconds: float = 10.0
    body_bytes: int = 1024 * 1024


class OutboundHttp:
    """Sends under rules; those for what customers wrote are `PublicOnly`. Its port is `abtest.ports.http_sender`."""

    def __init__(
        self,
        rules: EgressRules | None = None,
        limits: Limits | None = None,
        *,
        resolve: Resolve = system_resolve,
        dial: Dial = system_dial,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._rules = rules or OperatorChosen()
        self._limits = limits or Limits()
        self._resolve = resolve
        self._connector = Connector(dial, context)
        self._idle: Idle | None = None

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        return self._exchange("POST", url, body, headers, Deadline(self._limits.seconds))

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        deadline = Deadline(self._limits.seconds)
        for _ in range(redirects + 1):
            answer = self._exchange("GET", url, None, headers, deadline)
            location = answer.headers.get("location")
            if redirects == 0 or answer.status not in _REDIRECTS or not location:
                return answer
            url = joined(answer.url, location)
        raise HttpUnreachableError(f"it redirects more than {redirects} times", "redirects")

    def check(self, url: str) -> None:
        """Raise UrlNotAllowedError unless requests may go there as its name stands now.

        A name that stands for nothing may not be called either. Nothing is connected to.
        """
        target = self._rules.target(url)
        try:
            self._addresses(target, Deadline(self._limits.seconds))
        except HttpUnreachableError as error:
            raise UrlNotAllowedError(f"the address cannot be called: {error}") from error

    @contextmanager
    def session(self) -> Iterator["OutboundHttp"]:
        """A sender of the same rules and limits that keeps its connections until the context ends; for threads, too.

        Names are looked up and checked for each request as ever: a connection serves it only where one of the answers
        is the address at its other end, and nobody has hung up. Where the receiver hangs up while a request is being
        written, the request goes out on a new one: it has not heard it whole. Of one that it may have heard whole, only
        a GET goes out again; whoever posts learns that no answer came, and decides.
        """
        sender = copy(self)
        sender._idle = Idle()
        with closing(sender._idle):
            yield sender

    def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], deadline: Deadline
    ) -> HttpAnswer:
        target = self._rules.target(url)
        request = _Request(method, target, body, headers)
        addresses = self._addresses(target, deadline)
        try:
            found = self._asked_again(request, addresses, deadline)
            if found is not None:
                return found
            return self._asked(request, *self._wired(self._connector.connect(target, addresses, deadline), deadline))
        except TimeoutError:
            raise deadline.passed() from None
        except (OSError, HTTPException, ValueError) as error:
            raise HttpUnreachableError(_said(target.host, error), "protocol") from error

    def _addresses(self, target: Target, deadline: Deadline) -> Sequence[str]:
        """What the host stands for, each allowed. Raises HttpUnreachableError, UrlNotAllowedError."""
        addresses: Sequence[str] = [target.host]
        if target.is_name:
            addresses = look_up(self._resolve, target.host, target.port, deadline)
        self._rules.refuse(target, addresses)
        return addresses

    def _asked_again(self, request: "_Request", addresses: Sequence[str], deadline: Deadline) -> HttpAnswer | None:
        """The answer by a connection that was kept; None where there is none, or it was gone before we had asked."""
        kept = self._idle.take(origin_of(request.target), addresses) if self._idle else None
        if kept is None:
            return None
        _, wire = wired = self._wired(kept, deadline)
        try:
            return self._asked(request, *wired)
        except _GONE:
            if wire.has_received or (wire.has_sent and not request.is_repeatable):
                raise
            return None

    def _wired(self, connection: Connection, deadline: Deadline) -> tuple[Connection, Wire]:
        return connection, Wire(connection.socket, deadline, MAX_HEADER_BYTES)

    def _asked(self, request: "_Request", connection: Connection, wire: Wire) -> HttpAnswer:
        """The answer by this connection, which is kept or closed."""
        with ExitStack() as hung_up:
            hung_up.callback(connection.close)
            with request.sent(wire, "keep-alive" if self._idle else "close") as response:
                wire.allow(int(self._limits.body_bytes * FRAMING) + MAX_HEADER_BYTES)
                content, is_whole = request.read(response, self._limits.body_bytes)
                is_over = is_whole and _has_ended(response) and response.status >= 200
            if self._idle and is_over and not wire.has_surplus:
                hung_up.pop_all()
                self._idle.give(connection)
            return HttpAnswer(
                status=response.status,
                content_type=response.getheader("Content-Type", ""),
                body=content,
                headers=_headers(response),
                url=request.target.url,
                is_whole=is_whole,
            )


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: Target
    body: bytes | None
    headers: Mapping[str, str]

    @property
    def is_repeatable(self) -> bool:
        """Whether to be heard twice changes nothing."""
        return self.method == "GET"

    def read(self, response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
        """The answer's body, which whoever gets came for; whoever posts wants to know that it was taken."""
        return read_body(response, limit) if self.method == "GET" else read_remark(response, limit)

    def sent(self, wire: Wire, connection: str) -> HTTPResponse:
        """The answer, of which the headers are read."""
        client = HTTPConnection(self.target.host, self.target.port)
        client.response_class = _FinalResponse
        client.sock = wire
        own = {"Host": self.target.authority, "Connection": connection}
        client.request(self.method, self.target.path, self.body, {**own, **self.headers})
        wire.has_sent = True
        response = client.getresponse()
        if wire.has_ended:  # http.client takes this for the end of the headers, and "200" for a whole answer
            response.close()
            raise HttpUnreachableError("the answer ends before its headers do", "protocol")
        return response


class _FinalResponse(HTTPResponse):
    """The answer after those that only say that one will come (RFC 9110, 15.2): http.client knows 100 alone of them.

    101 is one that ends HTTP on the connection, so nothing comes after it.
    """

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        is_interim = status < 200 and status != HTTPStatus.SWITCHING_PROTOCOLS
        return version, HTTPStatus.CONTINUE if is_interim else status, reason


def _said(host: str, error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{host} hung up without a whole answer"
    return f"what {host} answers is not HTTP/1.1: {error}"


def _has_ended(response: HTTPResponse) -> bool:
    """Whether the next byte on the connection belongs to another answer."""
    is_read = response.isclosed() or (response.length == 0 and not response.chunked)
    return is_read and not response.will_close


def _headers(response: HTTPResponse) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in response.getheaders():
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
