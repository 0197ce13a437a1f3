"""Pages and files of the console."""
