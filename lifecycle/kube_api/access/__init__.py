"""Who asks, by which token, and what they may."""
