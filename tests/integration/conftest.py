"""A shop of the API in memory. Each folder has a fixture `api` of its own, with the routes that it tests."""

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    """A shop that asks for no approval, with an admin key."""
    return api.tenant()


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """The shop's admin."""
    return api.client(tenant.admin)
