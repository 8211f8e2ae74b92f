"""The page of a pod."""
