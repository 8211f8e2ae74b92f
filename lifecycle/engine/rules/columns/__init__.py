"""What `kubectl get` prints of an object, one file a family of kinds."""
