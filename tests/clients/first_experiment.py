"""First experiment of a developer who has nothing but the generated client.

`python first_experiment.py BASE_URL KEY EDGE_URL` creates, launches and reads an experiment, and verifies the
webhook of its start. tests/e2e/test_generated_clients.py checks its types and runs it.
"""

import hmac
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread
from time import monotonic, sleep, time
from uuid import uuid4

from ab_testing_service_client import AuthenticatedClient
from ab_testing_service_client.api.api_keys import create_api_key
from ab_testing_service_client.api.edge import ingest_events
from ab_testing_service_client.api.experiments import create_experiment, get_experiment, launch_experiment
from ab_testing_service_client.api.results import get_results
from ab_testing_service_client.api.webhooks import create_webhook
from ab_testing_service_client.models import (
    ApiKeyCreate,
    ApiKeyCreated,
    ApiKeyCreateKind,
    ErrorEnvelope,
    Experiment,
    ExperimentCreate,
    ExperimentStartedEvent,
    GoalCreate,
    GoalCreateType,
    IngestEvent,
    IngestEventType,
    IngestReceipt,
    Results,
    WebhookCreate,
    WebhookCreated,
    WebhookCreateEventsItem,
)

PATIENCE = 60
VISITORS = 4

Arrived = Queue[tuple[bytes, str]]


def receiver(arrived: Arrived) -> HTTPServer:
    """Start a server that keeps each body with its signature."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            arrived.put((body, self.headers["X-Service-Signature"]))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Print nothing: the standard output is the answer."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def started(client: AuthenticatedClient) -> Experiment:
    """Return an experiment that runs."""
    goal = GoalCreate(name="Add to cart", type_=GoalCreateType.CUSTOM, event_name="add_to_cart")
    made = create_experiment.sync(client=client, body=ExperimentCreate(name="Free shipping", goals=[goal]))
    assert isinstance(made, Experiment), made
    launched = launch_experiment.sync(str(made.id), client=client)  # its body is optional
    assert isinstance(launched, Experiment), launched
    return launched


def send_visits(client: AuthenticatedClient, edge_url: str, experiment: Experiment) -> None:
    """Send an exposure and a conversion of each visitor, as a server of the shop does."""
    key = create_api_key.sync(client=client, body=ApiKeyCreate(name="Server", kind=ApiKeyCreateKind.TRACKING_SOURCE))
    assert isinstance(key, ApiKeyCreated), key
    edge = AuthenticatedClient(base_url=edge_url, token=key.secret)
    events = []
    for number in range(VISITORS):
        visitor, now = f"visitor-of-client-{number}", int(time() * 1000)
        variation = experiment.variations[number % 2]
        exposure = IngestEvent(
            type_=IngestEventType.EXPERIMENT_VIEWED,
            event_id=str(uuid4()),
            visitor_id=visitor,
            ts=now,
            experiment_id=str(experiment.id),
            variation_id=str(variation.id),
        )
        events.append(exposure)
    receipt = ingest_events.sync(client=edge, body=events)
    assert isinstance(receipt, IngestReceipt), receipt
    assert (receipt.ingested, receipt.quarantined) == (VISITORS, 0), receipt


def counted(client: AuthenticatedClient, experiment: Experiment) -> int:
    """Return the number of visitors in the results, once all of them are counted."""
    until = monotonic() + PATIENCE
    visitors = 0
    while visitors < VISITORS and monotonic() < until:
        sleep(0.2)
        results = get_results.sync(str(experiment.id), client=client)
        assert isinstance(results, Results), results
        visitors = sum(row.visitors for row in results.goals[0].rows)
    return visitors


def main(base_url: str, key: str, edge_url: str) -> None:
    """Run the whole story."""
    arrived: Arrived = Queue()
    server = receiver(arrived)
    client = AuthenticatedClient(base_url=base_url, token=key)
    address = f"http://127.0.0.1:{server.server_port}/hooks"
    subscription = WebhookCreate(url=address, events=[WebhookCreateEventsItem.EXPERIMENT_STARTED])
    hook = create_webhook.sync(client=client, body=subscription)
    assert isinstance(hook, WebhookCreated), hook
    experiment = started(client)
    body, signature = arrived.get(timeout=PATIENCE)
    assert hmac.compare_digest(signature, "sha256=" + hmac.new(hook.secret.encode(), body, "sha256").hexdigest())
    event = ExperimentStartedEvent.from_dict(json.loads(body))
    assert event.experiment_id == experiment.id, event
    send_visits(client, edge_url, experiment)
    print("sent", flush=True)  # noqa: T201  # its reader lets the service count
    missing = get_experiment.sync(str(uuid4()), client=client)
    assert isinstance(missing, ErrorEnvelope), missing
    summary = {"experiment": str(experiment.id), "visitors": counted(client, experiment), "error": missing.error.code}
    sys.stdout.write(json.dumps(summary))


if __name__ == "__main__":
    main(*sys.argv[1:])
