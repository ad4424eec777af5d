#!/usr/bin/env bash
# The tables of doc/benchmarks.md are those of bench/results.
set -eu
exec python3 "$(dirname "$0")/../../tools/benchmark_tables.py" --check
