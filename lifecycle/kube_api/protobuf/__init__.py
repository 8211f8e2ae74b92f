"""Kubernetes' objects as protobuf: kubectl and other clients in Go send it where they know a kind's type."""
