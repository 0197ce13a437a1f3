"""The one outbound client: each address checked, connected to as it was checked, and bounded in time and size.

http.client speaks HTTP; connecting, TLS and every wait are ours, so that no name is looked up twice (a resolver that
answers differently the second time gets no second time) and no variable of the environment names a proxy.
"""

import ssl
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from socket import socket

from abtest.adapters.outbound_http.bodies import read_body
from abtest.adapters.outbound_http.deadline import Deadline
from abtest.adapters.outbound_http.names import Resolve, look_up, system_resolve
from abtest.adapters.outbound_http.wire import Dial, Wire, secured, system_dial
from abtest.domain.egress.targets import EgressRules, OperatorChosen, Target, joined
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError

MAX_HEADER_BYTES = 64 * 1024
FRAMING = 1.1
"""A body in small chunks is larger on the wire; what it may be beyond that is somebody's joke."""

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
        self._dial = dial
        self._given_context = context

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

    def _exchange(
        self, method: str, url: str, body: bytes | None, headers: Mapping[str, str], deadline: Deadline
    ) -> HttpAnswer:
        target = self._rules.target(url)
        addresses = [target.host]
        if target.is_name:
            addresses = list(look_up(self._resolve, target.host, target.port, deadline))
        self._rules.refuse(target, addresses)
        try:
            with closing(self._connected(target, addresses, deadline)) as connected:
                wire = Wire(connected, deadline, MAX_HEADER_BYTES)
                return self._asked(wire, target, method, body, headers)
        except TimeoutError:
            raise deadline.passed() from None
        except (OSError, HTTPException, ValueError) as error:
            raise HttpUnreachableError(f"{target.host}: {error!r}", "protocol") from error

    def _connected(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> socket:
        raw = self._reached(target, addresses, deadline)
        if target.scheme == "http":
            return raw
        try:
            return secured(raw, self._context(), target.host, deadline)
        except BaseException:
            raw.close()
            raise

    def _reached(self, target: Target, addresses: Sequence[str], deadline: Deadline) -> socket:
        """The first of the addresses that answers; one that is silent leaves the others their share of the time."""
        problem: OSError | None = None
        for number, address in enumerate(addresses):
            try:
                return self._dial(address, target.port, deadline.left() / (len(addresses) - number))
            except OSError as error:
                problem = error
        deadline.left()
        raise HttpUnreachableError(f"nothing answers at {target.authority}: {problem}", "connect") from problem

    def _asked(
        self, wire: Wire, target: Target, method: str, body: bytes | None, headers: Mapping[str, str]
    ) -> HttpAnswer:
        connection = HTTPConnection(target.host, target.port)
        connection.sock = wire
        connection.request(method, target.path, body, {"Host": target.authority, "Connection": "close", **headers})
        with connection.getresponse() as response:
            wire.allow(int(self._limits.body_bytes * FRAMING) + MAX_HEADER_BYTES)
            content, is_whole = read_body(response, self._limits.body_bytes)
            return HttpAnswer(
                status=response.status,
                content_type=response.getheader("Content-Type", ""),
                body=content,
                headers=_headers(response),
                url=target.url,
                is_whole=is_whole,
            )

    def _context(self) -> ssl.SSLContext:
        """Made when first needed: the store of authorities takes a while to read."""
        if self._given_context is None:
            self._given_context = ssl.create_default_context()
        return self._given_context


def _headers(response: HTTPResponse) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in response.getheaders():
        key = name.lower()
        found[key] = f"{found[key]}, {value}" if key in found else value
    return found
