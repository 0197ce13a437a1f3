"""Published configs prepared for decisions; each content is parsed once."""

from base64 import b64decode
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

from abtest.edge.publications import Publications
from abtest.kit import canonical_json

KEPT_BYTES = 16 << 20
"""Size of the cached configs as JSON; prepared, they take several times as much memory."""

Prepared = TypeVar("Prepared")


class PreparedConfigs(Generic[Prepared]):
    """Cache of prepared configs by the hash of their content; the least recently used go first."""

    def __init__(self, publications: Publications, prepare: Callable[[Any], Prepared]) -> None:
        self._publications = publications
        self._prepare = prepare
        self._kept: OrderedDict[str, tuple[Prepared, int]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def read(self, shop_id: str, environment: str) -> Prepared:
        """Return the config of the shop's environment. Raises NotFoundError, BlobsUnavailableError."""
        body, _ = self._publications.read("config", shop_id, environment, "identity")
        with self._lock:
            kept = self._kept.get(body.sha256)
            if kept is not None:
                self._kept.move_to_end(body.sha256)
                return kept[0]
            content = b64decode(body.base64)
            published = self._prepare(canonical_json.loads(content))
            self._kept[body.sha256] = published, len(content)
            self._bytes += len(content)
            while self._bytes > KEPT_BYTES and len(self._kept) > 1:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._bytes -= dropped
            return published
