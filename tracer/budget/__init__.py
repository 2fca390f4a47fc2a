"""The budget of a shared KV cache: what a model keeps, what a load asks, and the sums over both, exact and in units."""
