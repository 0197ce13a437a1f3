"""Routes of the session itself."""

from starlette.responses import Response

from abtest.contract.identity import SessionBody
from abtest.http import session_cookie
from abtest.http.deps import confidential
from api_identity.endpoints.vocabulary import Signed, SignInUse, router_at

router = router_at("/session")


@router.get("", operation_id="getSession")
@confidential
def get_session(visit: Signed, use_sign_in: SignInUse) -> SessionBody:
    """Return who is signed in, how, and for which shops."""
    return use_sign_in.shown(visit.used)


@router.delete("", operation_id="endSession", status_code=204)
@confidential
def end_session(visit: Signed, response: Response, use_sign_in: SignInUse) -> None:
    """Sign out: the session ends in the store, and the browser forgets its cookie."""
    use_sign_in.end(visit.session)
    session_cookie.clear(response)
