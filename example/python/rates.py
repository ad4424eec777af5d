#!/usr/bin/env python3
"""rates.py [FOLDER]: what rates membrane's filters have, measured, and what they cost. A notebook as a script: editors run it cell by cell (# %%).

It prints its numbers; with matplotlib it also draws them into FOLDER/rates.png (default: this folder).
"""
# %% How often does a filter say yes to a stranger? Measured while keys come, beside what the filter says of itself.
import math
import os
import sys

import numpy as np

import membrane

STRANGERS = np.arange(2**62, 2**62 + 1_000_000, dtype=np.uint64)


def measured_rate(seen):
    return seen.contains(STRANGERS).mean()


def while_keys_come(seen, most=1_000_000, steps=20):
    """(keys, measured rate, rate_now, bits per key) after each step."""
    rows = []
    for step in range(steps):
        seen.update(np.arange(step * most // steps, (step + 1) * most // steps, dtype=np.uint64))
        rows.append((seen.insertions, measured_rate(seen), seen.rate_now, 8 * seen.nbytes / seen.insertions))
    return np.array(rows).T


growths = {
    "made for 100,000 keys": while_keys_come(membrane.Filter(100_000, 0.01)),
    "the same, grow_to=1,000,000": while_keys_come(membrane.Filter(100_000, 0.01, grow_to=1_000_000)),
}
for name, (keys, rate, said, bits) in growths.items():
    print(f"{name}:\n{'keys':>10} {'measured':>9} {'rate_now':>9} {'bits/key':>9}")
    for row in list(zip(keys, rate, said, bits))[1::3]:
        print(f"{row[0]:10,.0f} {row[1]:9.3%} {row[2]:9.3%} {row[3]:9.2f}")

# %% What does a rate cost? The plans of a million keys.
RATES = [10**-exponent for exponent in (1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6)]
KINDS = ("balanced_rank", "blocked_bloom", "bloom")
plans = {kind: [membrane.plan(1_000_000, rate, kind=kind).chosen for rate in RATES] for kind in KINDS}
print(f"\nbits per key for a rate of\n{'':14}" + "".join(f"{rate:>9.1g}" for rate in RATES))
for kind, found in plans.items():
    print(f"{kind:14}" + "".join("        -" if each is None else f"{each.bits_per_key:9.2f}" for each in found))
print(f"{'at least':14}" + "".join(f"{-math.log2(rate):9.2f}" for rate in RATES))

# %% As pictures.
try:
    import matplotlib
except ImportError:
    print("\nno matplotlib: no pictures")
    sys.exit()
matplotlib.use("agg")
from matplotlib import pyplot as plt  # noqa: E402

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2))
for name, (keys, rate, said, _) in growths.items():
    (line,) = left.plot(keys / 1e6, rate * 100, "o", markersize=4, label=f"{name}: measured")
    left.plot(keys / 1e6, said * 100, color=line.get_color(), label="rate_now")
left.set(xlabel="keys, millions", ylabel="false positives, %", title="While keys come", ylim=(0, None))
left.legend(frameon=False, fontsize=8)
for kind, found in plans.items():
    points = [(rate, each.bits_per_key) for rate, each in zip(RATES, found) if each is not None]
    right.plot(*zip(*points), marker="o", markersize=4, label=kind)
right.plot(RATES, [-math.log2(rate) for rate in RATES], "k--", linewidth=1, label="least of any filter")
right.set(xscale="log", xlabel="false positive rate", ylabel="bits per key", title="What a rate costs, a million keys")
right.invert_xaxis()
right.legend(frameon=False, fontsize=8)
figure.tight_layout()
path = os.path.join(sys.argv[1] if len(sys.argv) > 1 and os.path.isdir(sys.argv[1]) else ".", "rates.png")
figure.savefig(path, dpi=110)
print(f"\n{path}")
