"""A landing page while it is written, as it is kept for a while and shown in a frame."""

from dataclasses import asdict, dataclass

from abtest.kit import canonical_json


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """Document without scripts, and the Content-Security-Policy that its response must have."""

    html: str
    policy: str


def page_key(session_id: str) -> str:
    """Return the key in the delivery bucket of the page that a session shows."""
    return f"previews/{session_id}/page.json"


def write_page(page: ShownPage) -> bytes:
    """Return the stored form of a page."""
    return canonical_json.encode(asdict(page))


def read_page(content: bytes) -> ShownPage:
    """Return the page of a stored form."""
    return ShownPage(**canonical_json.loads(content))
