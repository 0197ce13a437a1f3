"""Idempotency records on DynamoDB."""

import gzip
from datetime import datetime
from hashlib import sha256

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, Item, absent
from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import (
    ANSWER_KEPT,
    CLAIM_HELD,
    FirstRun,
    IdempotencyClaim,
    StoredAnswer,
    seconds_until,
)

CHUNK_BYTES = 350 * 1024

RUNNING, DONE = "running", "done"


class DynamoIdempotency:
    """Idempotency with one item per key: its state, its owner, its first run, and the response once there is one.

    The key is free from `free_at` on. That moment has two meanings in turn:

        begin              + 60 s                                       + 24 h
          |--- running ------|  the owner failed: free for a run that continues the first one
          |--- running --- finish --------------- done ------------------|  free for a first run
                             (free_at moves to 24 h after finish)

    Each write has a condition on `free_at`, and each claim writes its own token as `owner`. So exactly one of any
    number of callers is admitted, and knows its own item when the client repeated a write that had been applied.
    """

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)

    def begin(self, key: str, *, body_hash: str, token: str, now: datetime) -> IdempotencyClaim:
        claim = {
            "pk": keys.hashed("IDEM", key),
            "state": RUNNING,
            "body_hash": body_hash,
            "owner": token,
            "first_token": token,
            "begun_at": _precise(now),
            "free_at": timestamp(now + CLAIM_HELD),
            "expires": expires(now + ANSWER_KEPT),
        }
        try:
            self._table.put(claim, absent() | _is_over(body_hash, now))
        except ConditionFailedError as error:
            return self._existing(error.item, body_hash, token, now)
        return _claimed(claim)

    def finish(self, key: str, *, body_hash: str, answer: StoredAnswer, now: datetime) -> None:
        free_at = now + ANSWER_KEPT
        content = compress(answer.body)
        # Before the record that names them, so that a finished record never leads to missing chunks.
        address = self._put_chunks(content, keys.hashed("IDEM", key), expires(free_at))
        actions = [
            Path("state").set(DONE),
            Path("free_at").set(timestamp(free_at)),
            Path("expires").set(expires(free_at)),
            Path("status").set(answer.status),
            Path("headers").set(canonical_json.dumps(dict(answer.headers))),
            Path("address").set(address),
            Path("size").set(len(content)),
        ]
        ours = (Path("state") == RUNNING) & (Path("body_hash") == body_hash)
        try:
            self._table.update(keys.hashed("IDEM", key), None, actions, ours)
        except ConditionFailedError:
            return  # a response is stored, or another body took the key over after 60 s: the first response counts

    def abandon(self, key: str, *, token: str, now: datetime) -> None:
        ours = (Path("state") == RUNNING) & (Path("owner") == token)
        try:
            self._table.update(keys.hashed("IDEM", key), None, [Path("free_at").set(timestamp(now))], ours)
        except ConditionFailedError:
            return  # a response is stored, or another run has the claim

    def _existing(self, item: Item | None, body_hash: str, token: str, now: datetime) -> IdempotencyClaim:
        """Return the claim that the stored item of a failed write allows; without the item, the client tries again."""
        if item is None:
            return IdempotencyClaim(state="running", retry_after=1)
        if item.get("owner") == token:
            return _claimed(item)  # the first attempt of this write was applied, and its response was lost
        if item["body_hash"] != body_hash:
            return IdempotencyClaim(state="mismatch")
        if item["state"] == DONE:
            return IdempotencyClaim(state="done", answer=self._answer(item))
        if item["free_at"] > timestamp(now):
            return IdempotencyClaim(state="running", retry_after=seconds_until(parse_timestamp(item["free_at"]), now))
        return self._continued(item, body_hash, token, now)

    def _continued(self, item: Item, body_hash: str, token: str, now: datetime) -> IdempotencyClaim:
        """Take over a free claim with its first run."""
        actions = [
            Path("owner").set(token),
            Path("free_at").set(timestamp(now + CLAIM_HELD)),
            Path("expires").set(expires(now + ANSWER_KEPT)),
        ]
        unchanged = (Path("owner") == item["owner"]) & (Path("free_at") == item["free_at"])
        try:
            return _claimed(self._table.update(item["pk"], None, actions, unchanged))
        except ConditionFailedError as error:
            return self._existing(error.item, body_hash, token, now)

    def _answer(self, item: Item) -> StoredAnswer:
        content = b""
        for start in range(0, item["size"], CHUNK_BYTES):
            chunk = self._table.get(f"{item['address']}#{start}")
            if chunk is None:
                raise DatabaseBusyError  # the record expired between the two reads; the next request starts over
            content += chunk["chunk"]
        headers = canonical_json.loads(item["headers"])
        return StoredAnswer(status=item["status"], headers=headers, body=gzip.decompress(content))

    def _put_chunks(self, content: bytes, key: str, expires_at: int) -> str:
        """Store the body in items of their own, since an item is limited to 400 KB, and return their common address.

        The address contains the hash of the content, so a record always leads to the chunks of its own response.
        """
        address = f"{key}#{sha256(content).hexdigest()}"
        for start in range(0, len(content), CHUNK_BYTES):
            chunk = content[start : start + CHUNK_BYTES]
            self._table.put({"pk": f"{address}#{start}", "chunk": chunk, "expires": expires_at})
        return address


def _claimed(item: Item) -> IdempotencyClaim:
    begun_at, is_repeated = parse_timestamp(item["begun_at"]), item["owner"] != item["first_token"]
    run = FirstRun(token=item["first_token"], begun_at=begun_at, is_repeated=is_repeated)
    return IdempotencyClaim(state="new", run=run)


def _is_over(body_hash: str, now: datetime) -> Condition:
    """Condition that the claim is free, and that a request with this body has no first run to continue."""
    is_another: Condition = (Path("state") == DONE) | (Path("body_hash") != body_hash)
    # Earlier releases stored no first run. DynamoDB removes items long after they expire, so age is compared as well.
    is_old: Condition = Path("begun_at").does_not_exist() | (Path("begun_at") <= _precise(now - ANSWER_KEPT))
    over: Condition = (Path("free_at") <= timestamp(now)) & (is_another | is_old)
    return over


def _precise(moment: datetime) -> str:
    """Return the text of a moment to the microsecond, to which ids are ordered."""
    return moment.isoformat(timespec="microseconds")
