"""Images: which are known, what is in them, how large they are."""
