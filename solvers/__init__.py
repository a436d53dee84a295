"""Who solves it: exact backends and heuristics, one file each, and the way a result is judged."""
