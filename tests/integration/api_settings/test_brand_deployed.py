"""Brand files as they are deployed: uploaded through one function, chosen through another, read by a third."""

from __future__ import annotations

from typing import Any

from tests.support.assets import direct
from tests.support.deployed import DeployedFamily
from tests.support.documents import encrypted, pdf
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack


def event_of(stack: AwsStack) -> dict[str, Any]:
    """Return what the queue would hand to the worker."""
    received: Any = stack.clients.sqs.receive_message(QueueUrl=stack.name("ProfileQueue"))
    event = sample("worker_profiles__unreadable")
    event["Records"][0]["body"] = received["Messages"][0]["Body"]
    return event


def test_files__of_deployed_functions__are_read_within_their_policies(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiAssets", "api_assets")
    contents = {"guide.pdf": pdf("Our voice is warm."), "secret.pdf": encrypted(pdf("Secret"))}
    ids = [deployed.client.post("/assets", direct(*each)).json()["id"] for each in contents.items()]
    client = deployed.calling("ApiSettings", "api_settings")
    # As long as they may be, so that the body of the record is in the bucket.
    texts = dict.fromkeys(("summary", "clientNotes", "guidelinesText"), "ä" * 20_000)
    lists = dict.fromkeys(("adjectives", "weAlways", "weNever", "bannedPhrases"), ["ä" * 300] * 50)
    voice = {**lists, "ctaStyle": "ä" * 20_000}
    parts = {**texts, "voice": voice, "guardrails": lists["weNever"], "proofRequirements": lists["weNever"]}
    put = client.put("/brand-context", {"asset_ids": ids, **parts})
    assert [each["excerpt"] for each in put.json()["clientAssetExcerpts"]] == ["(being read)"] * 2
    event = event_of(aws_stack)
    worker = fresh_handler(aws_stack, "WorkerProfiles", "worker_profiles")
    for _ in range(2):
        assert worker(event, Context()) == {"batchItemFailures": []}
    context = deployed.calling("ApiSettings", "api_settings").get("/brand-context")
    guide, secret = context.json()["clientAssetExcerpts"]
    assert guide == {"name": "guide.pdf", "excerpt": "Our voice is warm."}
    assert secret["excerpt"].startswith("(cannot be read: the file is encrypted")
    assert context.headers["etag"] == 'W/"2"'
    assert context.json()["summary"] == texts["summary"]
