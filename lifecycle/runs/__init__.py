"""A cluster's life: commands in, slices recorded, checkpoints, forks and clocks."""
