"""What was made from the sources of releases, a folder for each."""
