#!/usr/bin/env python3
"""20 million keys in 64 shards of a cluster of three, resharding under load, a node killed and its replica promoted."""
from support.cluster_scenario import run_scenario

run_scenario(keys=20_000_000, shards=64, strangers=1_000_000)
