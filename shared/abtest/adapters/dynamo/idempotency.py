"""Idempotency records on DynamoDB."""

import gzip
from datetime import datetime
from hashlib import sha256

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.ephemeral import ephemeral_table, expires
from abtest.adapters.dynamo.table import ConditionFailedError, Item, absent
from abtest.kit import canonical_json
from abtest.kit.clock import timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import ANSWER_KEPT, CLAIM_HELD, IdempotencyClaim, StoredAnswer

CHUNK_BYTES = 350 * 1024

RUNNING, DONE = "running", "done"


class DynamoIdempotency:
    """Idempotency with one item per key: `state`, `body_hash`, `free_at`, and the response once there is one.

    An item counts as absent from `free_at` on. That moment has two meanings in turn:

        begin              + 60 s                                       + 24 h
          |--- running ------|  the owner failed: free again
          |--- running --- finish --------------- done ------------------|  free again
                             (free_at moves to 24 h after finish)

    So one condition, "absent or free_at has passed", admits exactly one of any number of callers in both cases.
    """

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)

    def begin(self, key: str, *, body_hash: str, now: datetime) -> IdempotencyClaim:
        free_at = now + CLAIM_HELD
        claim = {
            "pk": keys.hashed("IDEM", key),
            "state": RUNNING,
            "body_hash": body_hash,
            "free_at": timestamp(free_at),
            "expires": expires(free_at),
        }
        try:
            self._table.put(claim, absent() | (Path("free_at") <= timestamp(now)))
        except ConditionFailedError as error:
            # The failed put returns the stored item. Without it, `claim` itself gives "running", and the client tries
            # again.
            return self._existing(error.item or claim, body_hash)
        return IdempotencyClaim(state="new")

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

    def abandon(self, key: str) -> None:
        try:
            self._table.delete(keys.hashed("IDEM", key), condition=Path("state") == RUNNING)
        except ConditionFailedError:
            return

    def _existing(self, item: Item, body_hash: str) -> IdempotencyClaim:
        if item["body_hash"] != body_hash:
            return IdempotencyClaim(state="mismatch")
        if item["state"] == RUNNING:
            return IdempotencyClaim(state="running")
        content = b""
        for start in range(0, item["size"], CHUNK_BYTES):
            chunk = self._table.get(f"{item['address']}#{start}")
            if chunk is None:
                raise DatabaseBusyError  # the record expired between the two reads; the next request starts over
            content += chunk["chunk"]
        headers = canonical_json.loads(item["headers"])
        answer = StoredAnswer(status=item["status"], headers=headers, body=gzip.decompress(content))
        return IdempotencyClaim(state="done", answer=answer)

    def _put_chunks(self, content: bytes, key: str, expires_at: int) -> str:
        """Store the body in items of their own, since an item is limited to 400 KB, and return their common address.

        The address contains the hash of the content, so a record always leads to the chunks of its own response.
        """
        address = f"{key}#{sha256(content).hexdigest()}"
        for start in range(0, len(content), CHUNK_BYTES):
            chunk = content[start : start + CHUNK_BYTES]
            self._table.put({"pk": f"{address}#{start}", "chunk": chunk, "expires": expires_at})
        return address
