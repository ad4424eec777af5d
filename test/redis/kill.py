#!/usr/bin/env python3
"""kill -9 ten times, under load, with appendfsync always."""
from support.kills import run_kills

print(run_kills(10, seed=1), 'acknowledged keys were found again')
