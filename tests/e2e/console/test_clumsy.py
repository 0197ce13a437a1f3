"""A clumsy person: goes back, loses the line, types commas, uses two windows. Nothing typed is lost."""

import pytest
from playwright.sync_api import Dialog, expect

from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

LEAVE = "Leave without saving? What you typed is lost."


def test_form__left_by_the_back_button_search_or_sign_out__asks_and_keeps_what_was_typed(console: Console) -> None:
    page = console.page
    questions: list[str] = []

    def stay(dialog: Dialog) -> None:
        questions.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", stay)
    console.open("/flags")
    console.click("New flag", role="link")
    console.field("Name").fill("Free shipping")
    page.wait_for_timeout(100)  # the form has named itself unsaved
    page.go_back()
    page.keyboard.press("Control+k")
    page.keyboard.type("goals")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    console.click("Account")
    console.click("Sign out")
    expect(page).to_have_url(f"{console.root}/console/{console.shop_id}/flags/new")
    expect(console.field("Name")).to_have_value("Free shipping")
    assert questions == [LEAVE] * 3


def test_address__that_cannot_be_decoded__is_a_screen_that_does_not_exist(console: Console) -> None:
    page = console.open("/flags/%zz")
    expect(page.get_by_role("heading", name="This screen does not exist")).to_be_visible()
