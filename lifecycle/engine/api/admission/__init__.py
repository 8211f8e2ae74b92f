"""Admission plugins: they complete or refuse objects by the state of the cluster."""
