"""What kubectl does and no API server: commands that are worked out from what is stored, then written."""
