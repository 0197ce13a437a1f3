"""The outbound client on urllib3, which botocore brings anyway: no redirects, no retries, bounded in time and size."""

from collections.abc import Mapping

import urllib3

from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError

CONNECT_SECONDS = 2.0
READ_SECONDS = 5.0
MAX_ANSWER_BYTES = 1024 * 1024


class OutboundHttp:
    """Sends to addresses that the operator configured; whoever sends to a customer's address must check it first."""

    def __init__(self) -> None:
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
        self._pool = urllib3.PoolManager(timeout=timeout, retries=False)

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        try:
            answer = self._pool.request(
                "POST", url, body=body, headers=dict(headers), redirect=False, preload_content=False
            )
            try:
                content = answer.read(MAX_ANSWER_BYTES, decode_content=True)
            finally:
                # What was not read to its end would be taken for the next answer.
                answer.release_conn() if answer.closed else answer.close()
        except urllib3.exceptions.HTTPError as error:
            raise HttpUnreachableError(str(error)) from error
        return HttpAnswer(status=answer.status, content_type=answer.headers.get("Content-Type", ""), body=content)
