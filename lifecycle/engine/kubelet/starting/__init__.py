"""From a bound pod to running containers."""
