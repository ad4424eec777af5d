#!/usr/bin/env python3
"""20,000 keys in 16 shards of a cluster of three, resharding under load, and two failovers: a node is killed, its replica promoted, and
that one killed after the first has come back."""
from support.cluster_scenario import run_scenario

run_scenario(keys=20000, shards=16, failovers=2)
