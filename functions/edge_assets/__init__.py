"""Public files of shops: `GET /a/{asset}/{hash}/{file}`."""
