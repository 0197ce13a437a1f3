"""A family of the API as it is deployed: the template's handler on its resources in moto, and a new shop that calls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from abtest.adapters.s3 import S3Blobs
from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.wiring.api import management
from tests.support.api import Tenant, founded
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.moto_stack import AwsStack


@dataclass(frozen=True)
class DeployedFamily:
    """A family's function in a fresh process, and a shop that was founded in its environment."""

    stack: AwsStack
    handler: Handler
    tenant: Tenant

    @classmethod
    def started(cls, stack: AwsStack, function_id: str, folder: str) -> DeployedFamily:
        """The function `ApiFlags`, say, of the folder `api_flags`."""
        return cls(stack, fresh_handler(stack, function_id, folder), founded(management()))

    @property
    def client(self) -> Client:
        """The shop's admin, who calls the family."""
        return Client(self.handler, key=self.tenant.admin)

    def calling(self, function_id: str, folder: str) -> Client:
        """The same admin, who calls another function in a fresh process."""
        return Client(fresh_handler(self.stack, function_id, folder), key=self.tenant.admin)

    def revision(self) -> int:
        """The revision of the newest publication; each takes the next one."""
        pointer = S3Blobs(self.stack.name("DeliveryBucket")).get(pointer_key(self.tenant.shop.id))
        assert pointer is not None
        return read_pointer(pointer.content).revision

    def published(self) -> Any:
        """The config that the shop's storefronts get now."""
        delivery = S3Blobs(self.stack.name("DeliveryBucket"))
        pointer = delivery.get(pointer_key(self.tenant.shop.id))
        assert pointer is not None
        config = delivery.get(object_key(read_pointer(pointer.content).config.sha256, "identity"))
        assert config is not None
        return json.loads(config.content)
