"""The page of an autoscaler."""
