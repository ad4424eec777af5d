#!/usr/bin/env python3
"""One call of the system fails in each command: memory, files, full disks, interrupted calls. A sample: long_faults.py makes more."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support'))
if 'MEMBRANE_FAULTS' not in os.environ:
    print('no library of test/faults/shim.c: it does not go together with sanitizers')
    sys.exit(0)
from inject import inject_sample  # noqa: E402

inject_sample(most_each=16)
