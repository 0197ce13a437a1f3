"""One-time entry to the console of a local stack: a token that signs in once as the owner of the demo shop.

The stack makes one at each start, and `python -m tools.local entry` another one. The token is in the address behind
`#`, which browsers send to no server.
"""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from boto3.dynamodb.types import TypeSerializer

from tools.local.provision.clients import Clients
from tools.local.surroundings import PROJECT

sys.path.insert(0, str(PROJECT / "shared"))

from abtest.adapters.dynamo.sessions import session_item
from abtest.services.identity.sessions import once_name
from abtest.services.identity.sign_in import ENTRY, ENTRY_LIFETIME


def console_url(environment: Mapping[str, str], user_id: str) -> str:
    """Store a new token for the user, and return the address that signs in with it.

    `environment` is that of ApiIdentity, or of an operator: the way to the engine, the table and the console's origin.
    """
    token = secrets.token_urlsafe(32)
    expires_at = datetime.now(UTC) + ENTRY_LIFETIME
    item = session_item(once_name(ENTRY, token), {"user_id": user_id}, expires_at, "SIGNIN")
    attributes: Any = {name: TypeSerializer().serialize(value) for name, value in item.items()}
    dynamodb = Clients(environment["AWS_ENDPOINT_URL"]).dynamodb
    dynamodb.put_item(TableName=environment["EPHEMERAL_TABLE"], Item=attributes)
    return f"{environment['CONSOLE_ORIGIN']}/console#enter={token}"
