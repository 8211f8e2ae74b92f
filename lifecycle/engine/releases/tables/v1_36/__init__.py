"""The tables of Kubernetes v1.36."""
