"""Takes screenshots and checks landing pages in a real browser, as messages of ScreenshotQueue demand."""
