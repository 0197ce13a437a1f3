"""Routes of passkeys."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.identity import (
    CredentialInput,
    PasskeyEntry,
    PasskeyInput,
    PasskeyList,
    PasskeyOptions,
    PasskeyPatch,
    Replacement,
    SessionBody,
)
from abtest.http.admission import address_of
from abtest.http.deps import PathId, confidential
from abtest.services.identity.passkeys import shown
from api_identity.endpoints.vocabulary import (
    AnyPage,
    PasskeyUse,
    Signed,
    SignInUse,
    Strong,
    router_at,
    signed_in,
    user_agent_of,
)

router = router_at("/passkeys")


@router.post("/challenge", operation_id="challengePasskey")
@confidential
def challenge(_page: AnyPage, request: Request, use_passkeys: PasskeyUse) -> PasskeyOptions:
    """Return the options of a sign-in, or of a step-up, with any passkey; they are good for five minutes, once."""
    return use_passkeys.challenge(address=address_of(request))


@router.post("/verify", operation_id="verifyPasskey", status_code=201)
@confidential
def verify(
    body: CredentialInput,
    _page: AnyPage,
    request: Request,
    response: Response,
    use_passkeys: PasskeyUse,
    use_sign_in: SignInUse,
) -> SessionBody:
    """Begin a session of level `passkey`. The session that the browser had ends, also at a step-up."""
    begun = use_passkeys.sign_in(body.credential, address=address_of(request), user_agent=user_agent_of(request))
    return signed_in(request, response, use_sign_in, begun)


@router.get("", operation_id="listPasskeys")
@confidential
def list_passkeys(visit: Signed, use_passkeys: PasskeyUse) -> PasskeyList:
    """List the passkeys of the user, newest first."""
    return use_passkeys.list(visit)


@router.post("/register-challenge", operation_id="challengeRegistration")
@confidential
def challenge_registration(visit: Signed, use_passkeys: PasskeyUse) -> PasskeyOptions:
    """Return the options of a new passkey. To add one to others takes one of them, an invitation, or a notice."""
    return use_passkeys.registration(visit)


@router.post("", operation_id="registerPasskey", status_code=201)
@confidential
def register(
    body: PasskeyInput,
    visit: Signed,
    request: Request,
    response: Response,
    use_passkeys: PasskeyUse,
    use_sign_in: SignInUse,
) -> PasskeyEntry:
    """Store a passkey. A session of level `passkey` begins with it, under another cookie."""
    enrolled = use_passkeys.register(visit, body.credential, body.name, user_agent=user_agent_of(request))
    signed_in(request, response, use_sign_in, enrolled.begun)
    return shown(enrolled.passkey)


@router.post("/replacement", operation_id="announceReplacement", status_code=202)
@confidential
def announce_replacement(visit: Signed, use_passkeys: PasskeyUse) -> Replacement:
    """Mail a notice to the user's address. A session by an emailed code may replace lost passkeys 24 hours later."""
    return use_passkeys.announce_replacement(visit)


@router.patch("/{passkey_id}", operation_id="renamePasskey")
@confidential
def rename(passkey_id: PathId, visit: Strong, body: PasskeyPatch, use_passkeys: PasskeyUse) -> PasskeyEntry:
    """Name a passkey."""
    return use_passkeys.rename(visit, passkey_id, body.name)


@router.delete("/{passkey_id}", operation_id="removePasskey", status_code=204)
@confidential
def remove(passkey_id: PathId, visit: Strong, use_passkeys: PasskeyUse) -> None:
    """Remove a passkey. The only one is 409 `last_passkey`."""
    use_passkeys.remove(visit, passkey_id)
