"""Drafts of preview links on the shop's own pages, and the script that shows them there.

Requests without the parameters of previews and QA never load this module.
"""

import logging
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from abtest.domain.credentials.preview import ExpiredPreviewTokenError, InvalidPreviewTokenError, read_token
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.delivery.drafts import Draft, call, merged, names_in, read_draft
from abtest.domain.delivery.literals import expression
from abtest.domain.preview.session import draft_key, file_key
from abtest.edge.preview_errors import (
    PreviewTokenExpiredError,
    PreviewTokenInvalidError,
    PreviewTokenMissingError,
)
from abtest.edge.publications import Publications
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.kit.deadlines import within
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.ports import waits
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Sessions

State = Literal["expired", "invalid", "ended", "unavailable"]
MESSAGES: Mapping[State, str] = {
    "expired": "This preview has expired, so you see the original. Make a new preview link.",
    "invalid": "This is not a preview link of this shop, so you see the original. Open it exactly as it was made.",
    "ended": "This preview was ended, so you see the original. Make a new preview link.",
    "unavailable": "The preview cannot be loaded at the moment, so you see the original. Reload the page in a minute.",
}
"""Texts that people see instead of a draft, by the state of their preview."""

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class PreviewEndedError(PreviewTokenInvalidError):
    """Token of a session that was revoked, or whose draft is gone."""


class PreviewUnavailableError(ServiceError):
    """Stores of previews that do not answer in time."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("the preview cannot be read; repeat the request in 1 s", headers={"Retry-After": "1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class StorefrontPreviews:
    """Reader of drafts. `files` is the delivery bucket, `tool` an expression that evaluates to a function."""

    roots: Callable[[], RootKeys]
    sessions: Sessions
    files: Blobs
    publications: Publications
    clock: Clock
    tool: str

    def config(self, shop_id: str, environment: str, token: str) -> bytes:
        """Return the published config of an environment with the draft of a token.

        Raises PreviewTokenMissingError, PreviewTokenInvalidError, PreviewTokenExpiredError, PreviewUnavailableError,
        NotFoundError, BlobsUnavailableError.
        """
        draft = self.draft(shop_id, token)
        return canonical_json.encode(merged(self._published(shop_id, environment), draft))

    def script(self, shop_id: str, environment: str, token: str) -> str:
        """Return the script that shows the draft of a token; of any other token, one that explains why it does not."""
        try:
            draft = self.draft(shop_id, token)
        except PreviewTokenExpiredError:
            return self._explanation("expired")
        except PreviewEndedError:
            return self._explanation("ended")
        except (PreviewTokenInvalidError, PreviewTokenMissingError):
            return self._explanation("invalid")
        except PreviewUnavailableError:
            return self._explanation("unavailable")
        return draft.call(self.tool, token, self._names(shop_id, environment))

    def names(self, shop_id: str, environment: str) -> str:
        """Return the script for QA: the names of everything that an environment publishes."""
        return call(self.tool, f'{{"names":{expression(self._names(shop_id, environment))}}}')

    def draft(self, shop_id: str, token: str) -> Draft:
        """Return the draft of a token of this shop.

        Raises PreviewTokenMissingError, PreviewTokenInvalidError, PreviewTokenExpiredError, PreviewUnavailableError.
        """
        if not token:
            raise PreviewTokenMissingError
        return self._in_time(lambda: self._draft(shop_id, token))

    def file(self, shop_id: str, session_id: str, name: str) -> bytes:
        """Return long code of a draft. Raises NotFoundError, PreviewUnavailableError."""
        content = self._in_time(lambda: self._file(shop_id, session_id, name))
        if content is None:
            raise NotFoundError("there is no such file")
        return content

    def _draft(self, shop_id: str, token: str) -> Draft:
        now = self.clock.now()
        try:
            grant = read_token(self.roots(), token, int(now.timestamp()), audience="storefront")
        except ExpiredPreviewTokenError as error:
            raise PreviewTokenExpiredError from error
        except InvalidPreviewTokenError as error:
            raise PreviewTokenInvalidError from error
        if grant.shop_id != shop_id:
            raise PreviewTokenInvalidError
        if self.sessions.get(grant.session_id, now=now) is None:
            raise PreviewEndedError
        blob = self.files.get(draft_key(grant.session_id))
        if blob is None:
            raise PreviewEndedError
        return read_draft(blob.content)

    def _file(self, shop_id: str, session_id: str, name: str) -> bytes | None:
        session = self.sessions.get(session_id, now=self.clock.now())
        if session is None or session.get("shop_id") != shop_id:
            return None
        blob = self.files.get(file_key(session_id, name))
        return None if blob is None else blob.content

    def _in_time(self, read: Callable[[], _T]) -> _T:
        try:
            return within(waits.EDGE.preview, read, group="previews")
        except (PreviewTokenInvalidError, PreviewTokenExpiredError):
            raise
        except Exception as error:
            # The token is neither logged nor part of any message.
            _log.warning("preview.unreadable", exc_info=error)
            raise PreviewUnavailableError from error

    def _published(self, shop_id: str, environment: str) -> dict[str, Any]:
        body, _ = self.publications.read("config", shop_id, environment, "identity", fresh=True)
        config: dict[str, Any] = canonical_json.loads(b64decode(body.base64))
        return config

    def _names(self, shop_id: str, environment: str) -> dict[str, str]:
        """Return the names of what is published; none where nothing can be read, because a preview works without."""
        try:
            return self._in_time(lambda: names_in(self._published(shop_id, environment)))
        except ServiceError:
            return {}

    def _explanation(self, state: State) -> str:
        return call(self.tool, expression({"preview": {"state": state, "message": MESSAGES[state]}}))
