"""Frames and figures: what reaches a page that is open."""
