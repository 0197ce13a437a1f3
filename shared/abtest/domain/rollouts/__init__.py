"""What flags and personalizations share: both are rolled out to a share of the visitors, live and paused alike."""
