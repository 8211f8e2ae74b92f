"""Checks of values, in the words of the API server; which kind takes which, the kinds say."""
