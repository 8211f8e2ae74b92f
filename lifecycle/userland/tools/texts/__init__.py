"""Tools that read and write text."""
