"""Hosts that pages of shops cannot have, because the service has them."""

from __future__ import annotations

import pytest

from abtest.services.pages.sites import Sites
from tests.support.memory import MemoryCatalog


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("edge.example.com", True),
        ("assets.example.com", True),
        ("d111.cloudfront.net", True),
        ("x1.execute-api.eu-west-1.amazonaws.com", True),
        ("example.com", False),
        ("pages.shop.example", False),
        # The demo shop of the local stack, where the edge has the same host.
        ("127.0.0.1", False),
    ],
)
def test_host__of_the_service__is_known(host: str, is_own: bool) -> None:
    edge = "http://127.0.0.1:8401" if host == "127.0.0.1" else "https://edge.example.com"
    sites = Sites(catalog=MemoryCatalog(), worker_base_url=edge, assets_base_url="https://assets.example.com")
    assert sites.is_own(host) is is_own
