#!/usr/bin/env bash
# record_benchmarks.sh BENCH NAME...: measures again what doc/benchmarks.md shows, into bench/results, and writes its tables.
#   1m            every row at a million keys
#   100m          the rows for large filters at a hundred million
#   hashes        siphash13 and xxh3, text keys of 8 to 64 bytes
#   sizes         lookups from ten thousand to a hundred million keys, and the chart of them
#   instructions  per operation, by callgrind
# The machine should have nothing else to do, except for the last. `./dev bench --record` also tells the commit.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

bench=$1
shift
results=bench/results

# The runner appends to a file; a recording starts anew, and only a complete one replaces the old.
record() {
    local file=$1
    shift
    rm -f "$results/$file.new"
    "$bench" --csv "$results/$file.new" "$@"
    mv "$results/$file.new" "$results/$file"
}

for name in "$@"; do
    case $name in
        1m) record epyc-1m.csv --keys 1e6 --fpr 0.01 --rounds 5 ;;
        100m) record epyc-100m.csv --keys 1e8 --fpr 0.004 --rounds 7 --only =bloom,blocked_bloom,balanced,double,rocksdb ;;
        hashes)
            record epyc-hashes.csv --keys 1e6 --fpr 0.01 --rounds 5 --only 'siphash13,xxh3 (keys)' \
                --key-bytes 8 --key-bytes 16 --key-bytes 32 --key-bytes 64
            ;;
        sizes)
            charts=$(mktemp -d)
            record epyc-sizes.csv --fpr 0.01 --rounds 3 --lookups-only --svg "$charts" \
                --only =bloom,=blocked_bloom,=balanced_bloom,balanced_rank \
                --keys 1e4 --keys 3e4 --keys 1e5 --keys 3e5 --keys 1e6 --keys 3e6 --keys 1e7 --keys 3e7 --keys 1e8
            mv "$charts/time_over_keys.svg" doc/plots/
            rm -r "$charts"
            ;;
        instructions) tools/count_instructions.py "$bench" "$results/instructions.csv" ;;
        *)
            printf "record: no '%s' (expected 1m, 100m, hashes, sizes, instructions)\n" "$name" >&2
            exit 2
            ;;
    esac
done
tools/benchmark_tables.py
