#!/usr/bin/env python3
"""20,000 keys in 16 shards of a cluster of three, resharding under load, a node killed and its replica promoted."""
from support.cluster_scenario import run_scenario

run_scenario(keys=20000, shards=16)
