"""Measured constants: models, a 10 Gb Ethernet, and how many GPUs jobs ask for."""

from __future__ import annotations

LINK_DEGRADATION = 0.2745
"""alpha of eq. (7): time per MB when k jobs share a link is k 0.856 ms + (k - 1) 0.235 ms.

Source: HKBU-HPML/dl-scheduling, online/cluster.py (simulator of arXiv 2002.10105).
"""
