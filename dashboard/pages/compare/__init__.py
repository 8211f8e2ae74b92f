"""The page that compares two clusters."""
