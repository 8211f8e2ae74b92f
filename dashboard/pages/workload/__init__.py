"""The page of a workload."""
