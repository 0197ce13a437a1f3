"""Profile of a shop's store: runs that read its pages, and reviews of what they suggest."""
