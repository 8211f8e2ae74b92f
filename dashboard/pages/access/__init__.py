"""The page of kubeconfigs and tokens."""
