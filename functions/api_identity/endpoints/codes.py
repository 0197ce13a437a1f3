"""Routes of emailed codes: sign-in, and the address and name of the user."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.identity import CodeInput, CodeSent, SessionBody, SignInInput, UserPatch
from abtest.http import session_cookie
from abtest.http.admission import address_of
from abtest.http.deps import confidential
from api_identity.endpoints.vocabulary import (
    AnyPage,
    CodeUse,
    Signed,
    SignInUse,
    Writer,
    router_at,
    signed_in,
    user_agent_of,
)

router = router_at()


@router.post("/sign-in", operation_id="requestCode", status_code=202)
@confidential
def request_code(
    body: SignInInput, _page: AnyPage, request: Request, response: Response, use_codes: CodeUse
) -> CodeSent:
    """Mail a code of eight digits, good for ten minutes and five tries in this browser.

    Known and unknown addresses get the same answer after the same time. Five codes an hour for an address.
    """
    requested = use_codes.request_sign_in(body.email, address=address_of(request))
    session_cookie.give_nonce(response, requested.nonce)
    return requested.answer


@router.post("/sign-in/verify", operation_id="verifyCode", status_code=201)
@confidential
def verify_code(
    body: CodeInput,
    _page: AnyPage,
    request: Request,
    response: Response,
    use_codes: CodeUse,
    use_sign_in: SignInUse,
) -> SessionBody:
    """Begin a session of level `email`, which reads, and can add the first passkey."""
    begun = use_codes.sign_in(
        session_cookie.nonce_of(request),
        body.code.strip(),
        address=address_of(request),
        user_agent=user_agent_of(request),
    )
    session_cookie.clear_nonce(response)
    return signed_in(request, response, use_sign_in, begun)


@router.post("/address", operation_id="requestAddress", status_code=202)
@confidential
def request_address(
    body: SignInInput, visit: Signed, request: Request, response: Response, use_codes: CodeUse
) -> CodeSent:
    """Mail a code to an address that the user is to have. An address of another user gets none."""
    requested = use_codes.request_address(visit, body.email, address=address_of(request))
    session_cookie.give_nonce(response, requested.nonce)
    return requested.answer


@router.post("/address/verify", operation_id="giveAddress")
@confidential
def give_address(
    body: CodeInput,
    visit: Signed,
    request: Request,
    response: Response,
    use_codes: CodeUse,
    use_sign_in: SignInUse,
) -> SessionBody:
    """Give the user the address that the code proves. A former address is notified."""
    nonce = session_cookie.nonce_of(request)
    use_codes.give_address(visit, nonce, body.code.strip(), address=address_of(request))
    session_cookie.clear_nonce(response)
    return use_sign_in.shown(visit.used)


@router.patch("/user", operation_id="updateUser")
@confidential
def update_user(body: UserPatch, visit: Writer, use_codes: CodeUse, use_sign_in: SignInUse) -> SessionBody:
    """Name the user, for others of the organisation."""
    use_codes.name(visit, body.name)
    return use_sign_in.shown(visit.used)
