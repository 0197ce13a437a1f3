"""Parts of the benchmark of uploaded files."""
