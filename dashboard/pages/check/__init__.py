"""The page of checks of a cluster."""
