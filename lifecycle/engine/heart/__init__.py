"""What every part lives by: time, chance, queues of work, the trace, errors and settings."""
