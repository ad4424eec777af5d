#!/usr/bin/env python3
"""kill -9 two hundred times, under load, with appendfsync always."""
import os

from support.kills import run_kills

print(run_kills(int(os.environ.get('MEMBRANE_COUNT', '200')), seed=int(os.environ.get('MEMBRANE_SEED', '2'))), 'acknowledged keys were found again')
