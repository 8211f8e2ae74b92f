"""Checks of clusters that a server runs: asked for, shared out to workers, summed up.

The database says what is to be done; a message only has somebody look. So a lost message or a killed worker
costs time, and nothing else: what a part lives through is the same whoever lives it.
"""
