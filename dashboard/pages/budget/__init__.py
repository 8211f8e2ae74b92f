"""The page of a disruption budget."""
