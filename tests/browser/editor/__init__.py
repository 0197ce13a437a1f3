"""Parts of the visual editor that run in a shop's page."""
