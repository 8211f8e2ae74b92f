"""The API server: every write of a cluster goes through here."""
