#!/usr/bin/env python3
"""dedup ended at 20 random moments."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from kill_dedup import kill_dedup  # noqa: E402

kill_dedup(20, 25)
