"""Run-time confirmation: a recorder that runs inside an engine's own Python, and what its recordings show."""
