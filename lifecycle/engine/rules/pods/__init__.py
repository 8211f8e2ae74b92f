"""What is particular to one pod: phase, conditions, restarts, probes, its end."""
