"""Patches and server-side apply, and the field managers."""
