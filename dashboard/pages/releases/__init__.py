"""The page that lays releases of Kubernetes side by side."""
