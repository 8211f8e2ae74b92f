"""What controllers of pods share: revisions, budgets, what a deletion costs."""
