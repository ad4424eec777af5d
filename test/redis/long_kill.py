#!/usr/bin/env python3
"""kill -9 two hundred times, under load, with appendfsync always."""
from support.kills import run_kills

print(run_kills(200, seed=2), 'acknowledged keys were found again')
