"""Controllers of pods, and what scales or protects them."""
