"""Ledger tables of Glue, and the workgroup of Athena that queries them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mypy_boto3_athena.client import AthenaClient
    from mypy_boto3_athena.type_defs import WorkGroupConfigurationTypeDef
    from mypy_boto3_glue.client import GlueClient
    from mypy_boto3_glue.type_defs import DatabaseInputTypeDef


def ensure_database(client: GlueClient, name: str, properties: dict[str, Any]) -> None:
    """Create the database unless it exists."""
    described = cast("DatabaseInputTypeDef", {**properties["DatabaseInput"], "Name": name})  # the template's own words
    try:
        client.get_database(Name=name)
    except client.exceptions.EntityNotFoundException:
        client.create_database(DatabaseInput=described)


def ensure_table(client: GlueClient, properties: dict[str, Any]) -> None:
    """Create the table, or update it to the template."""
    database, table = properties["DatabaseName"], properties["TableInput"]
    try:
        client.create_table(DatabaseName=database, TableInput=table)
    except client.exceptions.AlreadyExistsException:
        client.update_table(DatabaseName=database, TableInput=table)


def ensure_workgroup(client: AthenaClient, name: str, properties: dict[str, Any]) -> None:
    """Create the workgroup unless it exists."""
    if name not in {group["Name"] for group in client.list_work_groups()["WorkGroups"]}:
        configuration = properties["WorkGroupConfiguration"]
        cutoff = int(configuration["BytesScannedCutoffPerQuery"])
        expected = cast("WorkGroupConfigurationTypeDef", {**configuration, "BytesScannedCutoffPerQuery": cutoff})
        client.create_work_group(Name=name, Configuration=expected)
