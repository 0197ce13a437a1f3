"""Reading template.yaml: what exists, as plain values; nothing is created here."""
