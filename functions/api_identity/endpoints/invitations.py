"""Routes of invitations."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.identity import AcceptInput, InvitationEntry, InvitationInput, InvitationList, SessionBody
from abtest.http.deps import PathId, confidential
from abtest.http.exchange import exchange_of
from abtest.http.session_cookie import token_of
from api_identity.endpoints.vocabulary import (
    AcceptanceUse,
    AnyPage,
    InShop,
    PeopleManager,
    PeopleUse,
    SignInUse,
    router_at,
    signed_in,
    user_agent_of,
    visit_of,
)

router = router_at("/invitations")


@router.get("", operation_id="listInvitations")
@confidential
def list_invitations(by: InShop, use_people: PeopleUse) -> InvitationList:
    """List the invitations that were not accepted, newest first."""
    return use_people.invitations(by)


@router.post("", operation_id="createInvitation", status_code=201)
@confidential
def create_invitation(by: PeopleManager, body: InvitationInput, use_people: PeopleUse) -> InvitationEntry:
    """Invite by mail, for seven days. An earlier invitation to the same address ends. The link is only in the mail."""
    return use_people.invite(by, body)


@router.delete("/{invitation_id}", operation_id="revokeInvitation", status_code=204)
@confidential
def revoke_invitation(invitation_id: PathId, by: PeopleManager, use_people: PeopleUse) -> None:
    """End an invitation."""
    use_people.revoke(by, invitation_id)


@router.post("/accept", operation_id="acceptInvitation", status_code=201)
@confidential
def accept(
    body: AcceptInput,
    _page: AnyPage,
    request: Request,
    response: Response,
    use_acceptance: AcceptanceUse,
    use_sign_in: SignInUse,
) -> SessionBody:
    """Accept an invitation as the signed-in user. Without a session, one of level `email` begins for its address."""
    visit = visit_of(request)
    session = visit.session if visit else None
    begun = use_acceptance.accept(body.token.strip(), session, user_agent=user_agent_of(request))
    if begun is not None:
        return signed_in(request, response, use_sign_in, begun)
    return use_sign_in.shown(exchange_of(request).services.sessions.identify(token_of(request), fresh=True).used)
