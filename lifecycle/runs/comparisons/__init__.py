"""Runs beside each other: one input under several releases, one Deployment with two fields set otherwise."""
