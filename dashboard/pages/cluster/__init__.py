"""The page of a cluster."""
