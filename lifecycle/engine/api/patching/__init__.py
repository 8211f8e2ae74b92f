"""Patches and applies: what they make of an object, and who owns which field after it."""
