"""The order in which resources are created, and the attributes that creating them teaches the resolver."""

from __future__ import annotations

from typing import Any

from tools.local.provision import keys, queues, storage, tables, warehouse
from tools.local.provision.clients import Clients
from tools.local.template.intrinsics import Resolver
from tools.local.template.resources import (
    ALIAS,
    BUCKET,
    DATABASE,
    KEY,
    LEDGER_TABLE,
    QUEUE,
    SECRET,
    TABLE,
    WORKGROUP,
    Resource,
    of_type,
)


def provision(clients: Clients, resolver: Resolver, resources: list[Resource]) -> None:
    """Create what is missing; afterwards the resolver knows every attribute a function may ask for."""

    def properties(resource: Resource) -> dict[str, Any]:
        return dict(resolver.resolve(resource.properties))

    for key in of_type(resources, KEY):
        resolver.attributes[key.logical_id] = keys.ensure_key(clients.kms, key.logical_id)
    for alias in of_type(resources, ALIAS):
        keys.ensure_alias(clients.kms, alias.name, properties(alias)["TargetKeyId"])
    for bucket in of_type(resources, BUCKET):
        storage.ensure(clients.s3, bucket.name, properties(bucket))
    queues.ensure_all(clients.sqs, [(queue.name, properties(queue)) for queue in of_type(resources, QUEUE)])
    for secret in of_type(resources, SECRET):
        attributes = keys.ensure_secret(clients.secrets, secret.name, properties(secret))
        resolver.attributes[secret.logical_id] = attributes
    for table in of_type(resources, TABLE):
        resolver.attributes[table.logical_id] |= tables.ensure(clients.dynamodb, table.name, properties(table))
    _provision_warehouse(clients, resolver, resources)


def _provision_warehouse(clients: Clients, resolver: Resolver, resources: list[Resource]) -> None:
    for database in of_type(resources, DATABASE):
        warehouse.ensure_database(clients.glue, database.name, resolver.resolve(database.properties))
    for table in of_type(resources, LEDGER_TABLE):
        warehouse.ensure_table(clients.glue, resolver.resolve(table.properties))
    for workgroup in of_type(resources, WORKGROUP):
        warehouse.ensure_workgroup(clients.athena, workgroup.name, resolver.resolve(workgroup.properties))
