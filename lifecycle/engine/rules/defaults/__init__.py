"""Defaults, as pure functions from JSON to JSON; which kind takes which, the kinds say."""
