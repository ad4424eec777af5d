#!/usr/bin/env python3
"""dedup ended at 400 random moments: 200 by SIGKILL, 200 by SIGTERM."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from kill_dedup import kill_dedup  # noqa: E402

kill_dedup(int(os.environ.get('MEMBRANE_COUNT', '400')), int(os.environ.get('MEMBRANE_SEED', '250')))
