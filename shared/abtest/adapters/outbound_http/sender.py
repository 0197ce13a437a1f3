"""Outbound HTTP client: each address is checked before the connection to it, and time and size are limited.

http.client implements HTTP. Connecting, TLS and every wait are done here, so that each name is resolved only once (a
second lookup could return another address than the checked one) and no environment variable selects a proxy.
"""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from copy import copy
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse

from abtest.adapters.outbound_http.bodies import read_body, read_remark
from abtest.adapters.outbound_http.connections import Connection, Connector, Dial, Idle, origin_of, system_dial
from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.names import Resolve, look_up, system_resolve
from abtest.adapters.outbound_http.wire import Wire
from abtest.domain.egress.targets import EgressRules, OperatorChosen, Target, UrlNotAllowedError, joined
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError

MAX_HEADER_BYTES = 64 * 1024
FRAMING = 1.1
"""Largest ratio of bytes on the wire to bytes of the body, because chunked bodies have an overhead."""

_GONE = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)
"""Errors after the other side has closed the connection."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of an exchange with its redirects: seconds from the first lookup to the last byte, bytes of a body."""

    seconds: float = 10.0
    body_bytes: int = 1024 * 1024


class OutboundHttp:
    """HttpSender with rules for addresses. Use the rules `PublicOnly` for URLs that customers enter."""

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
            # `_exchange` checks each target: a public server may redirect to an internal address.
            url = joined(answer.url, location)
        raise HttpUnreachableError(f"the server redirects more than {redirects} times", "redirects")

    def forward(self, method: str, url: str, body: bytes | None, *, headers: Mapping[str, str]) -> HttpAnswer:
        return self._exchange(method, url, body, headers, Deadline(self._limits.seconds), is_forwarded=True)

    def check(self, url: str) -> None:
        """Raise UrlNotAllowedError for a URL that the rules do not allow, or whose name does not resolve now.

        No connection is made.
        """
        target = self._rules.target(url)
        try:
            self._addresses(target, Deadline(self._limits.seconds))
        except HttpUnreachableError as error:
            raise UrlNotAllowedError(f"the address cannot be called: {error}") from error

    @contextmanager
    def session(self) -> Iterator["OutboundHttp"]:
        """Return a thread-safe sender with the same rules and limits that keeps connections until the context ends.

        Names are still resolved and checked for each request: a connection is used again only if its remote address is
        one of the results and it is still open. If the receiver closes it while the request is written, the request is
        sent again on a new connection. A request that was sent completely is only repeated if it is a GET.
        """
        # A shallow copy shares the connector, so certificate authorities are read once for all sessions.
        sender = copy(self)
        sender._idle = Idle()
        with closing(sender._idle):
            yield sender

    def _exchange(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: Mapping[str, str],
        deadline: Deadline,
        *,
        is_forwarded: bool = False,
    ) -> HttpAnswer:
        target = self._rules.target(url)
        request = _Request(method, target, body, headers, needs_body=is_forwarded or method == "GET")
        addresses = self._addresses(target, deadline)
        try:
            answer = self._exchange_on_kept(request, addresses, deadline)
            if answer is not None:
                return answer
            connection = self._connector.connect(target, addresses, deadline)
            return self._exchange_on(request, connection, Wire(connection.socket, deadline, MAX_HEADER_BYTES))
        except TimeoutError:
            raise deadline.passed() from None
        except (OSError, HTTPException, ValueError) as error:
            message = f"{target.host} did not send a valid HTTP/1.1 response: {error}"
            if isinstance(error, OSError):
                message = f"{target.host} closed the connection before a complete response"
            raise HttpUnreachableError(message, "protocol") from error

    def _addresses(self, target: Target, deadline: Deadline) -> Sequence[str]:
        """Return the host's addresses, all allowed. Raises HttpUnreachableError, UrlNotAllowedError."""
        addresses: Sequence[str] = [target.host]
        if target.is_name:
            addresses = look_up(self._resolve, target.host, target.port, deadline)
        self._rules.refuse(target, addresses)
        return addresses

    def _exchange_on_kept(self, request: "_Request", addresses: Sequence[str], deadline: Deadline) -> HttpAnswer | None:
        """Return the response on a kept connection; None without one, or if it closed before the request was sent."""
        kept = self._idle.take(origin_of(request.target), addresses) if self._idle else None
        if kept is None:
            return None
        wire = Wire(kept.socket, deadline, MAX_HEADER_BYTES)
        try:
            return self._exchange_on(request, kept, wire)
        except _GONE:
            # The receiver may have processed a request that was sent completely, so only a GET may be repeated.
            if wire.has_received or (wire.has_sent and request.method != "GET"):
                raise
            return None

    def _exchange_on(self, request: "_Request", connection: Connection, wire: Wire) -> HttpAnswer:
        """Return the response on this connection, which is then kept or closed."""
        with ExitStack() as closing_connection:
            closing_connection.callback(connection.close)
            with request.send(wire, "keep-alive" if self._idle else "close") as response:
                wire.allow(int(self._limits.body_bytes * FRAMING) + MAX_HEADER_BYTES)
                # For a POST of our own the status is enough, so errors in the body do not matter.
                read = read_body if request.needs_body else read_remark
                content, is_whole = read(response, self._limits.body_bytes)
                # Only after the last byte of this response does the next byte belong to another one.
                is_read = response.isclosed() or (response.length == 0 and not response.chunked)
                # A final status below 200 is 101, after which the connection does not use HTTP.
                is_reusable = is_whole and is_read and not response.will_close and response.status >= 200
            if self._idle and is_reusable and not wire.has_surplus:
                closing_connection.pop_all()
                self._idle.give(connection)
            return HttpAnswer(
                status=response.status,
                content_type=response.getheader("Content-Type", ""),
                body=content,
                headers=_headers(response),
                url=request.target.url,
                is_whole=is_whole,
                cookies=tuple(response.headers.get_all("Set-Cookie", ())),
            )


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: Target
    body: bytes | None
    headers: Mapping[str, str]
    needs_body: bool

    def send(self, wire: Wire, connection: str) -> HTTPResponse:
        """Send the request and return the response, whose headers are read."""
        client = HTTPConnection(self.target.host, self.target.port)
        client.response_class = _FinalResponse
        # http.client connects only without a socket; with this one, it cannot resolve the name a second time.
        client.sock = wire
        own = {"Host": self.target.authority, "Connection": connection}
        client.request(self.method, self.target.path, self.body, {**own, **self.headers})
        wire.has_sent = True
        response = client.getresponse()
        if wire.has_ended:  # http.client accepts the end of the connection as the end of the headers
            response.close()
            raise HttpUnreachableError("the response ends within its headers", "protocol")
        return response


class _FinalResponse(HTTPResponse):
    """Final response after any interim ones (RFC 9110, 15.2); http.client only skips those with status 100.

    101 is not skipped: it ends HTTP on the connection, so no other response follows.
    """

    def _read_status(self) -> tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        is_interim = status < 200 and status != HTTPStatus.SWITCHING_PROTOCOLS
        # http.client has no public hook for this. It reads on after a status of 100.
        return version, HTTPStatus.CONTINUE if is_interim else status, reason


def _headers(response: HTTPResponse) -> dict[str, str]:
    """Return the headers by lower-case name, repeated ones joined by a comma."""
    headers: dict[str, str] = {}
    for name, value in response.getheaders():
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers
