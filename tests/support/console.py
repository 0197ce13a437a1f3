"""The console in a browser: it keeps the cookie of its session, and sends the headers that browsers send."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from abtest.http.session_cookie import NAME
from abtest.ports.mailer import Mail, MailUnavailableError
from abtest.services.identity.sessions import Beginning, Begun
from abtest.wiring.api import Management
from tests.support.client import BASE, Answer, Client

IDENTITY = "/console/identity"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}
Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


class Browser:
    """A browser with the console open; `shop_id` is the shop that it shows."""

    def __init__(
        self, handler: Handler, token: str = "", *, shop_id: str = "", headers: Mapping[str, str] = {}
    ) -> None:
        self.handler = handler
        self.cookies = {NAME: token}
        self.shop_id = shop_id
        self.headers: Mapping[str, str] = {}

    def identity(self, method: str, path: str, json_body: Any = None, **options: Any) -> Answer:
        """A route of sign-in; its cookies replace the browser's."""
        answer = self._client(IDENTITY).request(method, path, json_body, **options)
        for cookie in answer.headers.get("set-cookie", "").split(", "):
            name, _, value = cookie.partition(";")[0].partition("=")
            if name:
                self.cookies[name] = value
        return answer

    @property
    def token(self) -> str:
        """The token of the session, "" without one."""
        return self.cookies.get(NAME, "")

    @token.setter
    def token(self, token: str) -> None:
        self.cookies[NAME] = token

    @property
    def api(self) -> Client:
        """The management API, called with the cookie."""
        return self._client(BASE)

    def _client(self, base: str) -> Client:
        cookies = [f"{name}={value}" for name, value in self.cookies.items() if value]
        cookie = {"cookie": "; ".join(["other=1", *cookies])} if cookies else {}
        headers = {**SAME_ORIGIN, **cookie, "X-Svc-Shop": self.shop_id, **self.headers}
        return Client(self.handler, headers=headers, base=base)


class Post:
    """Mail that was sent; it may be out of order."""

    def __init__(self) -> None:
        self.sent: list[Mail] = []
        self.fails = False
        self.is_configured = True

    def send(self, mail: Mail) -> None:
        if self.fails:
            raise MailUnavailableError("the mail could not be sent")
        self.sent.append(mail)

    @property
    def token(self) -> str:
        """The token of the newest link."""
        return self.sent[-1].secret.partition("#invite=")[2]


def begun(base: Management, user_id: str, **fields: Any) -> Begun:
    """A stored session of a user, as a sign-in of the level would begin it."""
    level = fields.pop("level", "local")
    return base.session_store.begin(Beginning(user_id=user_id, level=level, **fields))
