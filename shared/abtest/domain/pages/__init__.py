"""Landing pages: their specs, the rules of a spec, and its rendering."""
