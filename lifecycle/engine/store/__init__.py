"""The one store: objects, their versions and indexes, and the rows that every write gives."""
