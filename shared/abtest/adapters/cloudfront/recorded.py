"""Where there is no CDN, what it would have been told stands in the log."""

import logging
from collections.abc import Sequence

_log = logging.getLogger(__name__)


class RecordedCdn:
    """Takes every order and does nothing but log it."""

    def invalidate(self, paths: Sequence[str], *, reference: str) -> None:
        _log.info("cdn.invalidated", extra={"paths": list(paths), "reference": reference})
