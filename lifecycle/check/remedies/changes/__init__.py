"""The changes that may help, by what they change. Each is a walk over candidates, the smallest first."""
