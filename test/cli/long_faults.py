#!/usr/bin/env python3
"""Every call of the system fails once, in every command: faults.py says how. MEMBRANE_FIRST and MEMBRANE_COUNT choose a part of all these
faults, so that a campaign can go through them piece by piece."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from inject import inject_from  # noqa: E402

inject_from(int(os.environ.get('MEMBRANE_FIRST', '0')), int(os.environ.get('MEMBRANE_COUNT', '5000')))
