#!/usr/bin/env python3
"""No command keeps the server's other clients waiting: redis/latency.py with its limits."""
import os
import subprocess
import sys

script = os.path.join(os.environ['MEMBRANE_SOURCE_DIR'], 'redis', 'latency.py')
subprocess.run([sys.executable, script, '--short'], check=True)
