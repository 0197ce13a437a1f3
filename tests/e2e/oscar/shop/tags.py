"""What our templates need to know: where the snippet is."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest


def snippet(_request: HttpRequest) -> dict[str, Any]:
    """The address of the install snippet, and its origin for the preconnect."""
    scheme, _, host = settings.SNIPPET_URL.split("/")[:3]
    return {"snippet_url": settings.SNIPPET_URL, "snippet_origin": f"{scheme}//{host}"}
