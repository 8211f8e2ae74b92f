"""Clusters driven by programs: made, their clocks turned, speed `auto`."""
