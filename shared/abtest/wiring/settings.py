"""Settings: the environment variables of template.yaml, read once. A function has those of its definition."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache


class MissingSettingError(Exception):
    """Required variable that is missing from the environment, or has an invalid value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Each field is the variable of its name in capitals; "" when it is absent or empty."""

    aws_lambda_function_name: str = ""
    stage: str = ""
    release: str = ""
    catalog_table: str = ""
    ephemeral_table: str = ""
    rollups_table: str = ""
    deliveries_table: str = ""
    blobs_bucket: str = ""
    delivery_bucket: str = ""
    ledger_bucket: str = ""
    assets_bucket: str = ""
    audit_bucket: str = ""
    signing_secret_arn: str = ""
    webhook_key_arn: str = ""
    worker_base_url: str = ""
    assets_base_url: str = ""
    upload_origins: str = ""
    aws_endpoint_url: str = ""
    preview_base_url: str = ""
    api_base_url: str = ""
    console_origin: str = ""
    allow_local_sign_in: str = ""
    mail_from: str = ""
    event_queue_url: str = ""
    event_queue_name: str = ""
    event_dlq_url: str = ""
    publish_queue_url: str = ""
    export_queue_url: str = ""
    refresh_queue_url: str = ""
    rollup_queue_url: str = ""
    webhook_queue_url: str = ""
    page_queue_url: str = ""
    screenshot_queue_url: str = ""
    profile_queue_url: str = ""
    decide_queue_url: str = ""
    compact_queue_url: str = ""
    audit_queue_url: str = ""
    audit_records: str = ""
    audit_hours: str = ""
    analytics_store_url: str = ""
    browser_events_per_minute: str = ""
    server_events_per_minute: str = ""
    allow_loopback_egress: str = ""
    distribution_id: str = ""
    page_distribution_id: str = ""
    cdn_secret: str = ""
    cdn_required: str = ""
    warehouse_engine: str = ""
    athena_database: str = ""
    athena_workgroup: str = ""

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Settings":
        """Return the settings in an environment."""
        return cls(**{field.name: environment.get(field.name.upper(), "") for field in fields(cls)})

    def need(self, *names: str) -> None:
        """Raise MissingSettingError with the names of empty settings, at start rather than at the first request."""
        missing = [name.upper() for name in names if not getattr(self, name)]
        if missing:
            raise MissingSettingError(f"the environment lacks {', '.join(missing)}")


@cache
def settings() -> Settings:
    """Return the settings of this process."""
    return Settings.of(os.environ)  # noqa: TID251 - the one place that reads the environment
