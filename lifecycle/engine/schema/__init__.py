"""The fields of all kinds: their types, and how patches merge them. Tables and their readers."""
