"""What the scheduler's plugins hold of a pod and a node. Pure."""
