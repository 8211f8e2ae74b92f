"""Rows in, figure dicts out: pure functions without Django, so that a figure can be tested as data."""
