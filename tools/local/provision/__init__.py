"""Creates in the engine what the template declares; everything here may run again on what exists."""
