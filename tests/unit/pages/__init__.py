"""Landing pages: the grammar of specs, its rules, and the rendering."""
