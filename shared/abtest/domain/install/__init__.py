"""The snippet on a shop's pages: its tags, and what a page that carries them looks like."""
