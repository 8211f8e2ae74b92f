"""Servers of other people that benches start for themselves."""
