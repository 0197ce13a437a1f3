"""Routes that begin a session without one."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.identity import EnterInput, ExchangeInput, SessionBody
from abtest.http.admission import MAX_CREDENTIAL, address_of
from abtest.http.deps import confidential
from abtest.services.authentication import InvalidApiKeyError
from api_identity.endpoints.vocabulary import AnyPage, SignInUse, router_at, signed_in, user_agent_of

router = router_at()


@router.post("/exchange", operation_id="exchangeKey", status_code=201)
@confidential
def exchange(
    body: ExchangeInput, _page: AnyPage, request: Request, response: Response, use_sign_in: SignInUse
) -> SessionBody:
    """Begin a session with the rights of an API key. The key is not stored, and the session ends with it.

    A shop key gives its shop and scopes; a user key all shops of its user, as their owner. Wrong keys are limited like
    failed authentications.
    """
    if len(body.api_key) > MAX_CREDENTIAL:
        raise InvalidApiKeyError
    begun = use_sign_in.exchange(body.api_key.strip(), address=address_of(request), user_agent=user_agent_of(request))
    return signed_in(request, response, use_sign_in, begun)


@router.post("/enter", operation_id="enterLocally", status_code=201)
@confidential
def enter(
    body: EnterInput, _page: AnyPage, request: Request, response: Response, use_sign_in: SignInUse
) -> SessionBody:
    """Begin a session by the one-time token that a local stack prints. Other deployments have no such route."""
    begun = use_sign_in.enter(body.token.strip(), user_agent=user_agent_of(request))
    return signed_in(request, response, use_sign_in, begun)
