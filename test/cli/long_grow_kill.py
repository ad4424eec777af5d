#!/usr/bin/env python3
"""kill -9 at 600 random moments of an `add` that grows the filter, of `patch`, `merge`, `remove` and `shrink`."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from kill_writers import kill_growing_writers  # noqa: E402

kill_growing_writers(int(os.environ.get('MEMBRANE_COUNT', '600')), seed=int(os.environ.get('MEMBRANE_SEED', '14')))
