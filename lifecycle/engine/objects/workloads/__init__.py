"""Controllers of pods, and the budgets that protect them."""
