"""Admission: what is filled in or refused for the state of the cluster."""
