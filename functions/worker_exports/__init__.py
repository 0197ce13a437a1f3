"""Makes the exports that ExportQueue names."""
