"""CDN for deployments without one: invalidations are only logged."""

import logging
from collections.abc import Sequence

_log = logging.getLogger(__name__)


class RecordedCdn:
    """CDN that logs each invalidation and does nothing else."""

    def invalidate(self, paths: Sequence[str], *, reference: str, host: str | None = None) -> None:
        _log.info("cdn.invalidated", extra={"host": host, "paths": list(paths), "reference": reference})
