"""What people hand in: manifests and scenarios, read and checked before anything is run."""
