#!/usr/bin/env python3
"""kill -9 at 500 random moments of `add`, `build --force` and `improve`."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from kill_writers import kill_writers  # noqa: E402

kill_writers(int(os.environ.get('MEMBRANE_COUNT', '500')), seed=int(os.environ.get('MEMBRANE_SEED', '12')))
