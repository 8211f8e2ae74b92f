"""What is particular to each kind: one file a kind, and the registry that everything generic asks."""
