"""Before a request reaches its answer: who asks, from where, how much, and what is noted of it."""
