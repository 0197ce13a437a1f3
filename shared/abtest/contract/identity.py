"""Sign-in to the console on the wire. These routes are the console's own: the API document does not have them."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Unique, Uuid
from abtest.contract.keys import Scope
from abtest.contract.names import READABLE
from abtest.domain.identity.people import MAX_ADDRESS, is_address
from abtest.domain.identity.roles import Role
from abtest.domain.identity.sessions import Level

Credential = Annotated[str, Field(min_length=1, max_length=200, repr=False)]
PasskeyName = Annotated[str, Field(min_length=1, max_length=100), READABLE]
ShopIds = Annotated[list[Uuid], Unique, Field(min_length=1, max_length=100)]


def address(text: str) -> str:
    """Return the address unchanged. Raises PydanticCustomError."""
    if not is_address(text):
        raise PydanticCustomError(
            "address",
            "must be an address of electronic mail, such as name@shop.example; domains with other letters than a to z "
            "have a form that begins with xn--",
        )
    return text


Email = Annotated[str, Field(max_length=MAX_ADDRESS), AfterValidator(address)]


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


class MemberEntry(Output):
    """A person with access to the organisation. The first one is the user whose organisation it is."""

    user_id: Id
    email: str | None
    name: str | None
    role: Role
    shop_ids: list[Id] | None
    is_you: bool
    has_passkey: bool
    disabled_at: DateTime | None
    created_at: DateTime | None


class MemberList(Output):
    """Everyone who has access to the organisation."""

    data: list[MemberEntry]


class MemberPatch(Input):
    """A merge patch. `shop_ids` null gives all shops, also later ones."""

    role: Role = ABSENT
    shop_ids: ShopIds | None = ABSENT
    is_disabled: bool = ABSENT


class InvitationInput(Input):
    """An invitation by mail. Without `shop_ids` it gives all shops, also later ones."""

    email: Email
    role: Role
    shop_ids: ShopIds | None = ABSENT


class InvitationEntry(Output):
    """An invitation that was not accepted yet."""

    id: Id
    email: str
    role: Role
    shop_ids: list[Id] | None
    invited_by: Id
    created_at: DateTime
    expires_at: DateTime
    is_open: bool


class InvitationList(Output):
    """Invitations that were not accepted, newest first."""

    data: list[InvitationEntry]


class AcceptInput(Input):
    """The token of the link in the mail."""

    token: Credential


class SignInInput(Input):
    """The address to which a code is mailed."""

    email: Email


class CodeSent(Output):
    """Answer to every request of a code, whether or not the address is known. `expires_in` is in seconds."""

    expires_in: int


class CodeInput(Input):
    """A code of eight digits, typed in the browser that requested it."""

    code: Annotated[str, Field(min_length=1, max_length=20, repr=False)]


class PasskeyOptions(Output):
    """Options of WebAuthn, as `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON` take them."""

    options: dict[str, Any]


class CredentialInput(Input):
    """A credential of WebAuthn, as its `toJSON` makes it."""

    credential: dict[str, Any]


class PasskeyInput(CredentialInput):
    """A new passkey and its name."""

    name: PasskeyName = "Passkey"


class PasskeyPatch(Input):
    """Another name."""

    name: PasskeyName


class PasskeyEntry(Output):
    """A passkey of the user."""

    id: Id
    name: str
    created_at: DateTime
    last_used_at: DateTime | None


class PasskeyList(Output):
    """The passkeys of the user, newest first."""

    data: list[PasskeyEntry]


class Replacement(Output):
    """When passkeys may be replaced by a session of an emailed code."""

    replaceable_at: DateTime


class UserPatch(Input):
    """The name that others of the organisation see."""

    name: PasskeyName | None
