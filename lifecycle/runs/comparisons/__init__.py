"""One input under several releases, run by the workers of checks: only what comes out otherwise is kept."""
