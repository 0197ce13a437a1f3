"""Preview of a shop's own pages through our proxy: addresses, HTML, CSS, headers and cookies, as pure functions."""
