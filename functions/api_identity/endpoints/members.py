"""Routes of the people of an organisation."""

from abtest.contract.identity import MemberEntry, MemberList, MemberPatch
from abtest.http.deps import PathId, confidential
from api_identity.endpoints.vocabulary import InShop, PeopleManager, PeopleUse, router_at

router = router_at("/members")


@router.get("", operation_id="listMembers")
@confidential
def list_members(by: InShop, use_people: PeopleUse) -> MemberList:
    """List everyone who has access to the organisation of the shop, its own user first. Clients do not see it."""
    return use_people.members(by)


@router.patch("/{user_id}", operation_id="updateMember")
@confidential
def update_member(user_id: PathId, by: PeopleManager, body: MemberPatch, use_people: PeopleUse) -> MemberEntry:
    """Change role, shops or access of a member. Writes of the member follow at once, reads within 10 seconds."""
    return use_people.change(by, user_id, body)


@router.delete("/{user_id}", operation_id="removeMember", status_code=204)
@confidential
def remove_member(user_id: PathId, by: PeopleManager, use_people: PeopleUse) -> None:
    """Remove a member, or leave the organisation."""
    use_people.remove(by, user_id)
