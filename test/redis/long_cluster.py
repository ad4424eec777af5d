#!/usr/bin/env python3
"""Keys in 64 shards of a cluster of three, resharding under load, and MEMBRANE_COUNT failovers: a primary is killed, its replica promoted,
and the killed node comes back as the replica of that one. 20 million keys for one failover, fewer for more, since all are asked each time."""
import os

from support.cluster_scenario import run_scenario

count = int(os.environ.get('MEMBRANE_COUNT', '1'))
keys = max(200_000, 20_000_000 // count)
run_scenario(keys, shards=64, strangers=keys // 20, failovers=count, seed=int(os.environ.get('MEMBRANE_SEED', '1')))
