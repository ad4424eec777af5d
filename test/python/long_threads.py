#!/usr/bin/env python3
"""threads.py for 60 s a case, and a million random operations."""
import os
import subprocess
import sys

folder = os.path.dirname(os.path.abspath(__file__))
environment = {**os.environ, 'MEMBRANE_SECONDS': '60', 'MEMBRANE_OPERATIONS': '1000000'}
codes = [subprocess.run([sys.executable, os.path.join(folder, name)], env=environment, check=False).returncode
         for name in ('threads.py', 'random_operations.py')]
sys.exit(max(codes))
