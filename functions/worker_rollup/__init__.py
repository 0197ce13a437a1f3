"""Writes the exports in ExportQueue."""
