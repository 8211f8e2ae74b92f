"""From the text of a script to words and commands."""
