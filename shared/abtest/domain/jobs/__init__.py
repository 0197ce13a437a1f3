"""Jobs: work that outlasts a request, as a record that says how far it is. What is worked at is not here."""
