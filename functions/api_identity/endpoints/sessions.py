"""Routes of the other sessions of a user."""

from abtest.contract.identity import SessionList
from abtest.http.deps import PathId, confidential
from api_identity.endpoints.vocabulary import Signed, SignInUse, router_at

router = router_at("/sessions")


@router.get("", operation_id="listSessions")
@confidential
def list_sessions(visit: Signed, use_sign_in: SignInUse) -> SessionList:
    """List the live sessions of the user, newest first; of an exchanged key, those of the same key."""
    return use_sign_in.sessions(visit)


@router.post("/end-others", operation_id="endOtherSessions", status_code=204)
@confidential
def end_others(visit: Signed, use_sign_in: SignInUse) -> None:
    """End all of these sessions but the current one."""
    use_sign_in.end_others(visit)


@router.delete("/{session_id}", operation_id="endOneSession", status_code=204)
@confidential
def end_one(session_id: PathId, visit: Signed, use_sign_in: SignInUse) -> None:
    """End one of these sessions."""
    use_sign_in.end_one(visit, session_id)
