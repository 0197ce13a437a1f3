"""The reference page in headless Chromium."""
