"""Pods of a node's own manifests, and their mirrors in the API."""
