"""Landing pages next to a template that a shop could take instead."""
