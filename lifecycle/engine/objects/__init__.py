"""Typed readings of Kubernetes objects. Truth stays JSON at the edge, typed and immutable inside."""
