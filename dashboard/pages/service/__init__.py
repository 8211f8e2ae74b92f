"""The page of a Service."""
