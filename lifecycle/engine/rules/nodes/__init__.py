"""Nodes: health, pressure, drains, shutdown, and whom taints drive away."""
