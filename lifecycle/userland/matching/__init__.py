"""Regular expressions and shell patterns as POSIX defines them, matched in bounded time."""
