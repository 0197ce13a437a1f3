"""Routes of the family, one module per resource."""

from api_identity.endpoints.codes import router as codes
from api_identity.endpoints.invitations import router as invitations
from api_identity.endpoints.members import router as members
from api_identity.endpoints.passkeys import router as passkeys
from api_identity.endpoints.session import router as session
from api_identity.endpoints.sessions import router as sessions
from api_identity.endpoints.sign_in import router as sign_in

ROUTERS = (sign_in, codes, passkeys, session, sessions, members, invitations)
