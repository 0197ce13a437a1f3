"""Programs for developers: nothing in here is deployed."""
