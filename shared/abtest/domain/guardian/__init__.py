"""Guardian: rules that find problems of a running experiment in its counts. Pure: no storage, no notifications."""
