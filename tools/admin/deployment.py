"""Where a deployment keeps its state: from the environment of a function, or asked of CloudFormation by stack name."""

import os
from typing import Any

from abtest.wiring.settings import Settings

RESOURCES = {
    "CatalogTable": "catalog_table",
    "EphemeralTable": "ephemeral_table",
    "BlobsBucket": "blobs_bucket",
    "DeliveryBucket": "delivery_bucket",
    "SigningSecret": "signing_secret_arn",
}
OUTPUTS = {"WorkerBaseUrl": "worker_base_url"}


def settings_of(stack_name: str | None) -> Settings:
    """The settings of the named stack, or of this process. Raises MissingSettingError."""
    found = _from_stack(stack_name) if stack_name else Settings.of(os.environ)
    found.need(*RESOURCES.values(), *OUTPUTS.values())
    return found


def _from_stack(stack_name: str) -> Settings:
    from botocore.session import get_session

    client: Any = get_session().create_client("cloudformation")
    pages = client.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    values = {
        RESOURCES[resource["LogicalResourceId"]]: resource["PhysicalResourceId"]
        for resource in resources
        if resource["LogicalResourceId"] in RESOURCES
    }
    outputs = client.describe_stacks(StackName=stack_name)["Stacks"][0].get("Outputs", [])
    values |= {OUTPUTS[out["OutputKey"]]: out["OutputValue"] for out in outputs if out["OutputKey"] in OUTPUTS}
    return Settings(**values)
