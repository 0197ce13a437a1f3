"""Settings of a deployment: from the environment of a function, or from CloudFormation by stack name."""

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
AUDIT = {"AuditBucket": "audit_bucket"}
LEDGER = {"RollupsTable": "rollups_table", "LedgerBucket": "ledger_bucket"}
QUEUES = {"EventQueue": "event_queue_url", "EventQueueDeadLetters": "event_dlq_url"}
OUTPUTS = {"WorkerBaseUrl": "worker_base_url"}


class NoStackError(ValueError):
    """No local stack runs."""


def enter_local_stack() -> None:
    """Make this process's environment name the local stack that runs. Raises NoStackError."""
    from tools.local.commands.client import CommandError, ControlClient
    from tools.local.files import StateDirectory
    from tools.local.surroundings import state_directory

    try:
        status = ControlClient(StateDirectory(state_directory())).status()
    except CommandError as error:
        raise NoStackError(str(error)) from error
    os.environ.update(status["environment"])


def settings_of(stack_name: str | None) -> Settings:
    """The settings of the named stack, or of this process. Raises MissingSettingError."""
    settings = _settings(stack_name)
    settings.need(*RESOURCES.values(), *OUTPUTS.values())
    return settings


def queues_of(stack_name: str | None) -> tuple[str, str]:
    """Addresses of the event queue and of its dead letters. Raises MissingSettingError."""
    settings = _settings(stack_name)
    settings.need(*QUEUES.values())
    return settings.event_queue_url, settings.event_dlq_url


def ledger_of(stack_name: str | None) -> Settings:
    """The settings of the named stack, or of this process, for what works on the ledger and its roll-ups."""
    return _settings(stack_name)


def _settings(stack_name: str | None) -> Settings:
    return from_stack(_cloudformation(), stack_name) if stack_name else Settings.of(os.environ)


def from_stack(client: Any, stack_name: str) -> Settings:
    """Return the settings in a stack's resources and outputs."""
    pages = client.get_paginator("list_stack_resources").paginate(StackName=stack_name)
    resources = [resource for page in pages for resource in page["StackResourceSummaries"]]
    known = RESOURCES | QUEUES | LEDGER | AUDIT
    values = {
        known[resource["LogicalResourceId"]]: resource["PhysicalResourceId"]
        for resource in resources
        if resource["LogicalResourceId"] in known
    }
    outputs = client.describe_stacks(StackName=stack_name)["Stacks"][0].get("Outputs", [])
    values |= {OUTPUTS[out["OutputKey"]]: out["OutputValue"] for out in outputs if out["OutputKey"] in OUTPUTS}
    return Settings(**values)


def _cloudformation() -> Any:
    from botocore.session import get_session

    return get_session().create_client("cloudformation")
