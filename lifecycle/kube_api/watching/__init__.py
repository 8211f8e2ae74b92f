"""Watches: recorded versions as they come, read once for all watchers, encoded once a form."""
