"""Landing pages in Chromium."""
