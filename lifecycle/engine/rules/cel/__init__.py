"""Expressions of the Common Expression Language, as rules of definitions and admission policies have them."""
