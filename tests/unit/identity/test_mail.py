"""Mail: through SES, into files of a local stack, and in a deployment without a sender."""

import json
import logging
from pathlib import Path

import boto3
import pytest
from moto import mock_aws
from moto.ses.models import ses_backends

from abtest.adapters import aws
from abtest.adapters.mail import FileMailer, NoMailer, SesMailer
from abtest.ports.mailer import Mail, MailUnavailableError
from abtest.wiring.api_identity import mailer_of

MAIL = Mail(to="anna@shop.example", subject="Café", text="The link:\nhttps://api.example/#x", secret="x")


def test_setting__of_a_deployment__chooses_the_mailer() -> None:
    kinds = [type(mailer_of(sender)) for sender in ("", "file:/tmp/mail", "console@shop.example")]
    assert kinds == [NoMailer, FileMailer, SesMailer]
    with pytest.raises(MailUnavailableError, match="MailFrom"):
        NoMailer().send(MAIL)


def test_files__of_a_local_stack__have_the_mail_and_the_log_its_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        FileMailer(str(tmp_path / "mail")).send(MAIL)
    (file,) = (tmp_path / "mail").iterdir()
    assert file.read_text() == "To: anna@shop.example\nSubject: Café\n\nThe link:\nhttps://api.example/#x\n"
    assert caplog.messages == [f"mail to anna@shop.example in {file}: x"]


def test_files__that_cannot_be_written__are_an_error_of_the_port(tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("a file in the way")
    with pytest.raises(MailUnavailableError):
        FileMailer(str(tmp_path / "mail")).send(MAIL)


def test_ses__with_a_verified_sender__sends_and_without_one_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    aws.reset()
    with mock_aws():
        with pytest.raises(MailUnavailableError) as refusal:
            SesMailer("console@shop.example").send(MAIL)
        assert "anna" not in str(refusal.value)
        boto3.client("sesv2", region_name="us-east-1").create_email_identity(EmailIdentity="console@shop.example")
        SesMailer("console@shop.example").send(MAIL)
        # The account is that of the process, which another test may have set.
        (sent,) = [sent for regions in ses_backends.values() for sent in regions["us-east-1"].sent_messages]
        assert sent.destinations["ToAddresses"] == ["anna@shop.example"]
        assert json.dumps(sent.subject) == json.dumps("Café")
    aws.reset()
