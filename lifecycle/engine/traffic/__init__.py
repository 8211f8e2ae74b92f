"""Requests to Services: who sends them, when senders know of a change, and what becomes of each request."""

from .traffic import Traffic

__all__ = ["Traffic"]
