#!/usr/bin/env python3
"""kill -9 at 120 random moments of an `add` that grows the filter, of `patch` and of `shrink`, 40 of each."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from kill_writers import kill_growing_writers  # noqa: E402

kill_growing_writers(120, seed=13)
