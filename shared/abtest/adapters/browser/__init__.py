"""Chromium behind a guard: it resolves nothing itself, and reaches only what the rules for addresses allow."""

from abtest.adapters.browser.chromium import ChromiumBrowsers

__all__ = ["ChromiumBrowsers"]
