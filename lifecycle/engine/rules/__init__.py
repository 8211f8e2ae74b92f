"""Pure rules of Kubernetes, one question a file: objects and the time in, an answer out."""
