"""The tables of Kubernetes v1.34."""
