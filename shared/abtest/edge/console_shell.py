"""Files of the console: one page for every screen, and assets whose names change with their content."""

import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from abtest.edge.gateway import Answer, GatewayEvent, Headers, Request, json_error
from abtest.edge.guarding import guarded, refuse_other_methods
from abtest.kit.content_coding import accepted_codings, is_held
from abtest.kit.errors import NotFoundError

ASSETS = "/console/assets/"
TYPES: Mapping[str, str] = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
FOREVER: Headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
SECURITY: Headers = {
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True)
class ConsoleShell:
    """Responses from the folder that `make console` writes.

    `images` and `frames` are origins, as a content security policy names them: of the files of shops, and of previews.
    """

    files: Path
    images: str
    frames: str

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Answer with the page or an asset; only errors are JSON."""
        return guarded(
            lambda: self._answer(Request.of(event), event["rawPath"]), lambda error: json_error(error, SECURITY)
        )

    def _answer(self, request: Request, path: str) -> Answer:
        refuse_other_methods(request)
        if path.startswith(ASSETS):
            return self._asset(request, path.removeprefix(ASSETS))
        # Read each time: next to a running stack the console is built again and again.
        page = (self.files / "index.html").read_text(encoding="utf-8")
        headers = self._page_headers(page)
        if is_held(request.headers.get("if-none-match"), headers["ETag"]):
            return {"statusCode": 304, "headers": headers, "body": ""}
        return {"statusCode": 200, "headers": {**headers, "Content-Type": "text/html; charset=utf-8"}, "body": page}

    def _asset(self, request: Request, name: str) -> Answer:
        file = self.files / "assets" / name
        content_type = TYPES.get(file.suffix)
        if content_type is None or not _NAME.fullmatch(name) or not file.is_file():
            raise NotFoundError("there is no such file: another release may be deployed, load the page again")
        headers = {**SECURITY, **FOREVER, "Content-Type": content_type}
        if accepted_codings(request.headers.get("accept-encoding", "")).get("br", 0.0) > 0:
            file, headers = file.with_name(f"{name}.br"), {**headers, "Content-Encoding": "br"}
        body = b64encode(file.read_bytes()).decode()
        return {"statusCode": 200, "headers": headers, "body": body, "isBase64Encoded": True}

    def _page_headers(self, page: str) -> dict[str, str]:
        return {
            **SECURITY,
            "Cache-Control": "no-cache",
            "ETag": f'"{sha256(page.encode()).hexdigest()[:16]}"',
            "Content-Security-Policy": policy(self.images, self.frames),
            "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
        }


def policy(images: str, frames: str) -> str:
    """Return the content security policy of the page: scripts, styles and requests of this host only."""
    rules = {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "connect-src": "'self'",
        "img-src": f"'self' data: blob: {images}",
        "frame-src": frames,
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}".strip() for name, value in rules.items())
