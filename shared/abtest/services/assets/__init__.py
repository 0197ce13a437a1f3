"""Assets: uploaded files, and what is made of them."""
