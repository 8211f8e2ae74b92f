"""What helps to build Podline, and is no part of it."""
