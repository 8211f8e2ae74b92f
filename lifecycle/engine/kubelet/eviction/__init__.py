"""Pods that go because their node runs short of something (pkg/kubelet/eviction)."""
