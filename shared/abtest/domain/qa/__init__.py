"""Checks of a landing page in a browser: facts about the page as it is shown, and what people are to know of them."""
