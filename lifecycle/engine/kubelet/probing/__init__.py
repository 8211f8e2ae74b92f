"""The probes of running containers."""
