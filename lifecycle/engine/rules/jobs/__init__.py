"""The rules of Jobs, a question a module. Pure."""
