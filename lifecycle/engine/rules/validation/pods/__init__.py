"""Pods and their templates: containers, volumes, security, what may change."""
