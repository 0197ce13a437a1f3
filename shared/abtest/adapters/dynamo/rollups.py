"""Roll-ups in DynamoDB."""

import gzip
from collections.abc import Mapping
from typing import Any

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.table import ConditionFailedError, Table, absent
from abtest.kit import canonical_json


class DynamoRollups:
    """The roll-ups table: one item per experiment and measurement epoch, replaced only by a higher generation."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)

    def put(self, document: Mapping[str, Any]) -> bool:
        pk, sk = keys.rollup(document["experiment_id"], document["measurement_epoch"])
        generation = document["generation"]
        content = compress(canonical_json.encode(dict(document)))
        item = {"pk": pk, "sk": sk, "generation": generation, "document": content}
        try:
            self._table.put(item, absent() | (Path("generation") < generation))
        except ConditionFailedError:
            return False
        return True

    def get(self, experiment_id: str, measurement_epoch: int) -> Mapping[str, Any] | None:
        item = self._table.get(*keys.rollup(experiment_id, measurement_epoch))
        if item is None:
            return None
        document: Mapping[str, Any] = canonical_json.loads(gzip.decompress(item["document"]))
        return document
