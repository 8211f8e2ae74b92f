"""Admission webhooks: asked before a command is queued, so that no engine worker waits for one."""
