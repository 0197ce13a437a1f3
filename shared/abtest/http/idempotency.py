"""Idempotency-Key: the first answer is kept for a day and given again, sealed with the caller's own credential.

The kept answer may hold a secret that is shown once (a new API key). It is therefore stored under a key stream that
only the bearer text yields, and the bearer text is never stored: the table alone tells nothing.
"""

import re
from collections.abc import Awaitable, Callable
from hashlib import sha256, shake_256

from starlette.requests import Request
from starlette.responses import Response

from abtest.http.exchange import Exchange
from abtest.http.journal import journal
from abtest.http.refusals import IdempotencyInProgressError, IdempotencyKeyReusedError, InvalidParameterError
from abtest.kit.errors import FieldError
from abtest.ports.limits import StoredAnswer

HEADER = "Idempotency-Key"
METHODS = {"POST", "PATCH", "DELETE"}
_NOT_KEPT = {401, 403, 429, 503}
_KEPT_HEADERS = ("content-type", "etag")
_FORM = re.compile(r"[\x20-\x7e]{1,255}", re.ASCII)
_NONCE_BYTES = 16

Run = Callable[[], Awaitable[Response]]


async def once(request: Request, exchange: Exchange, body: bytes, run: Run) -> Response:
    """Run, unless the same request was answered before; then give that answer again.

    Raises InvalidParameterError, IdempotencyKeyReusedError, IdempotencyInProgressError. A run that dies leaves its
    claim to expire.
    """
    sent = request.headers.get(HEADER)
    if sent is None or request.method not in METHODS or exchange.caller is None:
        return await run()
    if not _FORM.fullmatch(sent):
        problem = FieldError(HEADER, "1 to 255 printable ASCII characters")
        raise InvalidParameterError("the Idempotency-Key has a wrong form", fields=[problem])
    claim = f"{exchange.caller.key_id} {request.method} {request.url.path} {sent}"
    return await _claimed(exchange, claim, _hash(request, body), run)


async def _claimed(exchange: Exchange, claim: str, body_hash: str, run: Run) -> Response:
    found = exchange.services.idempotency.begin(claim, body_hash=body_hash, now=exchange.services.world.clock.now())
    if found.state == "mismatch":
        raise IdempotencyKeyReusedError
    if found.state == "done" and found.answer is not None:
        return _again(exchange, claim, found.answer)
    if found.state != "new":
        raise IdempotencyInProgressError
    response = await run()
    try:
        _keep(exchange, claim, body_hash, response)
    except Exception:
        # What the route did stands: told "busy", the caller would repeat it, and it would be done twice.
        journal.exception("idempotency.not_kept", correlation_id=exchange.request_id)
    return response


def _keep(exchange: Exchange, claim: str, body_hash: str, response: Response) -> None:
    store = exchange.services.idempotency
    if response.status_code in _NOT_KEPT:
        store.abandon(claim)
        return
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    nonce = exchange.services.world.random.bits(8 * _NONCE_BYTES).to_bytes(_NONCE_BYTES, "big")
    sealed = nonce + _cover(exchange, claim, nonce, bytes(response.body))
    answer = StoredAnswer(status=response.status_code, headers=headers, body=sealed)
    store.finish(claim, body_hash=body_hash, answer=answer, now=exchange.services.world.clock.now())


def _again(exchange: Exchange, claim: str, answer: StoredAnswer) -> Response:
    nonce, sealed = answer.body[:_NONCE_BYTES], answer.body[_NONCE_BYTES:]
    headers = {**answer.headers, "Idempotent-Replayed": "true"}
    return Response(_cover(exchange, claim, nonce, sealed), answer.status, headers)


def _cover(exchange: Exchange, claim: str, nonce: bytes, content: bytes) -> bytes:
    """XOR with a key stream of (credential, claim, nonce); the same operation covers and uncovers."""
    seed = b"\0".join([exchange.credential.encode(), claim.encode(errors="surrogatepass"), nonce])
    stream = shake_256(seed).digest(len(content))
    return (int.from_bytes(content, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(content), "big")


def _hash(request: Request, body: bytes) -> str:
    return sha256(request.url.query.encode() + b"\0" + body).hexdigest()
