#!/usr/bin/env python3
"""Faults in each command, many of them: faults.py says which. MEMBRANE_COUNT and MEMBRANE_SEED say how many and which."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
from inject import inject_sample  # noqa: E402

inject_sample(int(os.environ.get('MEMBRANE_COUNT', '5000')), os.environ.get('MEMBRANE_SEED', '1'))
