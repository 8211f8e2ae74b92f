"""A POSIX shell in virtual time: text to instructions once, instructions to plain, savable state."""
