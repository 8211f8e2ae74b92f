"""What every address has in common: who may come from where, headers, sign-in, logs."""
