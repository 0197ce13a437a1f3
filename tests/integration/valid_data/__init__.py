"""Valid requests: each operation of the document accepts one."""
