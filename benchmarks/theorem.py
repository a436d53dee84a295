"""Theorem 5 of the paper, taken at its word: makespan <= n_g Phi (u/l) optimum for SJF-BCO."""

from __future__ import annotations

from fractions import Fraction

from instances.instance import Instance


def theorem_bound(instance: Instance) -> Fraction | None:
    """The ratio n_g Phi (u/l) that Theorem 5 promises, from the timing table alone.

    Taken conservatively, that is, too large rather than too small: rho_j ranges over every number
    of servers and every contention level that the instance admits. With the estimate
    rhohat_j = rho_j^min, u is 1 and l is min_j rhohat_j / rho_j^max, so that u/l = Phi.

    Returns
    -------
    Fraction or None
        None where some phi_j(h, p) in the range is 0, which makes rho_j^max infinite.
    """
    timing = instance.timing
    phi = Fraction(1)
    for job, data in enumerate(instance.jobs):
        widest = min(data.gpus, len(instance.servers))
        for servers in range(timing.fewest_servers[job], widest + 1):
            levels = range(1, timing.max_level + 1) if servers > 1 else (0,)
            for level in levels:
                slowest = timing.duration(job, servers, level)
                if slowest is None:
                    return None
                phi = max(phi, Fraction(slowest, timing.shortest[job]))
    most_gpus = max(job.gpus for job in instance.jobs)
    return most_gpus * phi * phi
