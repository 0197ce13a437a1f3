"""Sign-in to the console on the wire. These routes are the console's own: the API document does not have them."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import DateTime, Id, Input, Output
from abtest.contract.keys import Scope
from abtest.domain.identity.roles import Role
from abtest.domain.identity.sessions import Level

Credential = Annotated[str, Field(min_length=1, max_length=200, repr=False)]


class ExchangeInput(Input):
    """A shop key or a user key that is exchanged for a session."""

    api_key: Credential


class EnterInput(Input):
    """The one-time token that the local stack prints."""

    token: Credential


class SessionUser(Output):
    """The user of a session. Address and name are null for a user who never gave them."""

    id: Id
    email: str | None
    name: str | None


class SessionShop(Output):
    """A shop of a session. `role` is null where the scopes are those of a key."""

    id: Id
    name: str
    currency: str
    timezone: str
    org_id: Id
    role: Role | None
    scopes: list[Scope]


class SessionBody(Output):
    """The session of the console: who signed in, how, and for which shops."""

    user: SessionUser
    level: Level
    shops: list[SessionShop]
    expires_at: DateTime
    idle_until: DateTime


class SessionEntry(Output):
    """A session in the list of a user's sessions."""

    id: Id
    level: Level
    created_at: DateTime
    last_seen_at: DateTime
    user_agent: str
    is_current: bool


class SessionList(Output):
    """All live sessions, newest first; at most ten."""

    data: list[SessionEntry]
