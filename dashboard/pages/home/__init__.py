"""Home and the gallery."""
