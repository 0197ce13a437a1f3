"""Screenshots on the template's tables, buckets and queues, within the policies of the functions."""

from __future__ import annotations

from typing import Any

from abtest.wiring.settings import Settings
from abtest.wiring.worker_screenshots import use_cases
from abtest.wiring.worlds import world_of
from tests.support.deployed import DeployedFamily
from tests.support.media import decoded
from tests.support.moto_stack import AwsStack
from tests.support.scripted_browser import ScriptedBrowsers, ScriptedPage

URLS = ["https://shop.example/", "https://shop.example/gone"]
WINDOW = {"width": 320, "height": 320}


def test_job__of_deployed_functions__completes_within_their_policies(aws_stack: AwsStack) -> None:
    author = DeployedFamily.started(aws_stack, "ApiAssets", "api_assets")
    ordered = author.client.post("/screenshots", {"urls": URLS, "viewports": [WINDOW]})
    assert ordered.status == 202, ordered.body
    answer: Any = aws_stack.clients.sqs.receive_message(QueueUrl=aws_stack.name("ScreenshotQueue"))
    message = answer["Messages"][0]["Body"]

    browsers = ScriptedBrowsers(author.tenant.shop.id, pages={URLS[1]: ScriptedPage(status=410)})
    environment = aws_stack.environment("WorkerScreenshots")
    aws_stack.enter("WorkerScreenshots")
    config = Settings.of(environment)
    carry_out = use_cases(config, world_of(config), browsers)["screenshot"]
    with aws_stack.guard("WorkerScreenshots").running():
        for _ in range(2):
            carry_out(message)

    client = author.calling("ApiAssets", "api_assets")
    done = client.get(f"/screenshots/{ordered.json()['job_id']}").json()
    taken, gone = done["results"]
    assert (done["status"], gone["error"]) == ("completed", "the page answers 410")
    key = taken["public_url"].partition("/a/")[2]
    stored = aws_stack.clients.s3.get_object(Bucket=aws_stack.name("AssetsBucket"), Key=f"a/{key}")
    assert (stored["ContentType"], decoded(stored["Body"].read()).size) == ("image/png", (320, 320))
    assert [asset["id"] for asset in client.get("/assets").json()["data"]] == [taken["asset_id"]]
    notified: Any = aws_stack.clients.sqs.receive_message(QueueUrl=aws_stack.name("WebhookQueue"))
    assert len(notified["Messages"]) == 1
