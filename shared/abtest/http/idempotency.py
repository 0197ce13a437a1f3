"""Idempotency-Key: the first response is stored for a day and returned again, encrypted with the caller's credential.

A response may have a secret that is shown once, such as a new API key. It is therefore stored under a key stream that
only the bearer text, or the token of a session, yields. Neither is ever stored, so the table alone reveals nothing.

A run may end without a response although its work is stored. The next run of the same request therefore makes the same
ids and secrets, from the same bearer text, and finds that work.
"""

import re
from collections.abc import Awaitable, Callable
from hashlib import shake_256
from operator import itemgetter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from abtest.http.exchange import Exchange
from abtest.http.journal import journal
from abtest.http.refusals import IdempotencyInProgressError, IdempotencyKeyReusedError, InvalidParameterError
from abtest.kit import canonical_json
from abtest.kit.errors import FieldError
from abtest.kit.repeatable import RepeatableRun, serving
from abtest.ports.limits import StoredAnswer
from abtest.services.context import Caller

HEADER = "Idempotency-Key"
METHODS = {"POST", "PATCH", "DELETE"}
# After these, the same request may succeed later, so the key must not repeat them for a day.
_NOT_STORED = {401, 403, 429, 503}
_STORED_HEADERS = ("content-type", "etag", "retry-after")
_FORM = re.compile(r"[\x20-\x7e]{1,255}", re.ASCII)
_NONCE_BYTES = 16
_TOKEN_BITS = 128

Run = Callable[[], Awaitable[Response]]


async def once(request: Request, exchange: Exchange, body: Any, run: Run) -> Response:
    """Return the stored response to the same request, or run the route and store its response.

    `body` is the parsed value: two texts of one value, such as other key orders or escapes, are the same request.

    Raises InvalidParameterError, IdempotencyKeyReusedError, IdempotencyInProgressError. The claim of a run that crashes
    expires.
    """
    sent = request.headers.get(HEADER)
    if sent is None or request.method not in METHODS or exchange.caller is None:
        return await run()
    if not _FORM.fullmatch(sent):
        problem = FieldError(HEADER, "must have 1 to 255 printable ASCII characters")
        raise InvalidParameterError("the Idempotency-Key is invalid", fields=[problem])
    claim = f"{_holder(exchange.caller)} {request.method} {request.url.path} {sent}"
    # The sort is stable: repeated parameters of one name keep their order, which may matter to the route.
    parameters = sorted(request.query_params.multi_items(), key=itemgetter(0))
    body_hash = canonical_json.sha256([parameters, body])
    token = f"{exchange.services.world.random.bits(_TOKEN_BITS):032x}"
    now = exchange.services.world.clock.now()
    attempt = exchange.services.idempotency.begin(claim, body_hash=body_hash, token=token, now=now)
    if attempt.state == "mismatch":
        raise IdempotencyKeyReusedError
    if attempt.state == "done" and attempt.answer is not None:
        nonce, sealed = attempt.answer.body[:_NONCE_BYTES], attempt.answer.body[_NONCE_BYTES:]
        headers = {**attempt.answer.headers, "Idempotent-Replayed": "true"}
        return Response(cipher(exchange, claim, nonce, sealed), attempt.answer.status, headers)
    if attempt.run is None:
        raise IdempotencyInProgressError(attempt.retry_after)
    first = attempt.run
    seed = secret_seed(exchange, claim, b"ids " + first.token.encode())
    with serving(RepeatableRun(first.begun_at, seed, is_repeated=first.is_repeated)):
        response = await run()
    try:
        if response.status_code in _NOT_STORED:
            # Only freed: after a 503, its work may be stored nevertheless.
            exchange.services.idempotency.abandon(claim, token=token, now=exchange.services.world.clock.now())
        else:
            store_response(exchange, claim, body_hash, response)
    except Exception:
        # The route has done its work. If the caller received an error, a retry would do the work twice.
        journal.exception("idempotency.not_kept", correlation_id=exchange.request_id)
    return response


def _holder(caller: Caller) -> str:
    """Return whose Idempotency-Keys these are. A key has one shop; a session has several, whose requests differ."""
    return f"{caller.key_id}@{caller.shop_id}" if caller.kind == "session" else caller.key_id


def store_response(exchange: Exchange, claim: str, body_hash: str, response: Response) -> None:
    """Store the response under its claim, encrypted."""
    headers = {name: response.headers[name] for name in _STORED_HEADERS if name in response.headers}
    # New for each response: two contents under one key stream would reveal each other.
    nonce = exchange.services.world.random.bits(8 * _NONCE_BYTES).to_bytes(_NONCE_BYTES, "big")
    sealed = nonce + cipher(exchange, claim, nonce, bytes(response.body))
    answer = StoredAnswer(status=response.status_code, headers=headers, body=sealed)
    exchange.services.idempotency.finish(
        claim, body_hash=body_hash, answer=answer, now=exchange.services.world.clock.now()
    )


def cipher(exchange: Exchange, claim: str, nonce: bytes, content: bytes) -> bytes:
    """Return the content XOR a key stream of (credential, claim, nonce). The same operation encrypts and decrypts."""
    stream = shake_256(secret_seed(exchange, claim, nonce)).digest(len(content))
    return (int.from_bytes(content, "big") ^ int.from_bytes(stream, "big")).to_bytes(len(content), "big")


def secret_seed(exchange: Exchange, claim: str, purpose: bytes) -> bytes:
    """Return a seed that only the credential yields."""
    return b"\0".join([exchange.credential.encode(), claim.encode(errors="surrogatepass"), purpose])
