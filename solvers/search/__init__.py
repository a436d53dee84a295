"""Exact depth-first search over slots, compiled with numba.

`tables` turns an instance into integer arrays, `placements` enumerates the ways to put a job on
the servers, `memo` remembers states, `kernel` is the search for one makespan, `driver` raises that
makespan, `pricing` and `profiles` are for the configuration bound. Why each rule keeps an optimum
is argued in docs/exact-methods.md.
"""
