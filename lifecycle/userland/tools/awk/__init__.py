"""The awk language: text to tokens, to syntax, to what it does with records."""
