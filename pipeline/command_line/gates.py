"""`touchstone gates`: every gate of every study, what it asks, what to do and what it withholds."""

import sys


def gates() -> None:
    """Print every gate: what it asks, what to do where it fails, what is withheld then (docs/gates.md)."""
    from pipeline.gate_list import page

    sys.stdout.write(page())
