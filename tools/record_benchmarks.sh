#!/usr/bin/env bash
# record_benchmarks.sh BENCH NAME...: repeats the measurements of doc/benchmarks.md, stores them in bench/results and writes the tables.
#   1m            every row at a million keys
#   10m           every row at ten million keys
#   100m          the rows for large filters at a hundred million
#   rates         lookups and sizes at five rates, and the chart of them
#   hashes        siphash13 and xxh3, text keys of 8 to 64 bytes
#   sizes         lookups from ten thousand to a hundred million keys, and the chart of them
#   threads       filters used by 1 to 8 threads, and the chart of them
#   instructions  per operation, by callgrind
# The machine should be idle, except for the last. `./dev bench --record` also records the commit.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/.."

bench=$1
shift
results=bench/results

# The benchmark appends to a file; a recording starts with a new file, which replaces the old one only when complete.
record() {
    local file=$1
    shift
    rm -f "$results/$file.new"
    "$bench" --csv "$results/$file.new" "$@"
    mv "$results/$file.new" "$results/$file"
}

record_and_draw() {
    local file=$1 chart=$2 charts
    shift 2
    charts=$(mktemp -d)
    record "$file" --svg "$charts" "$@"
    mv "$charts/$chart" doc/plots/
    rm -r "$charts"
}

for name in "$@"; do
    case $name in
        1m) record epyc-1m.csv --keys 1e6 --fpr 0.01 --rounds 5 ;;
        10m) record epyc-10m.csv --keys 1e7 --fpr 0.001 --rounds 5 ;;
        100m) record epyc-100m.csv --keys 1e8 --fpr 0.004 --rounds 7 --only =bloom,blocked_bloom,balanced,double,rocksdb ;;
        hashes)
            record epyc-hashes.csv --keys 1e6 --fpr 0.01 --rounds 5 --only 'siphash13,xxh3 (keys)' \
                --key-bytes 8 --key-bytes 16 --key-bytes 32 --key-bytes 64
            ;;
        sizes)
            record_and_draw epyc-sizes.csv time_over_keys.svg --fpr 0.01 --rounds 3 --lookups-only \
                --only =bloom,=blocked_bloom,=balanced_bloom,balanced_rank \
                --keys 1e4 --keys 3e4 --keys 1e5 --keys 3e5 --keys 1e6 --keys 3e6 --keys 1e7 --keys 3e7 --keys 1e8
            ;;
        rates)
            record_and_draw epyc-rates.csv rate_over_space.svg --keys 1e7 --rounds 3 --lookups-only \
                --only '=bloom,=blocked_bloom,=balanced_bloom,=balanced_rank,=balanced_rank erasable,rocksdb' \
                --fpr 0.01 --fpr 0.004 --fpr 0.001 --fpr 0.0003 --fpr 0.0001
            ;;
        threads) record_and_draw epyc-threads.csv threads.svg --threads --keys 1e7 --fpr 0.001 --rounds 5 ;;
        instructions) tools/count_instructions.py "$bench" "$results/instructions.csv" ;;
        *)
            printf "record: no '%s' (expected 1m, 10m, 100m, rates, hashes, sizes, threads, instructions)\n" "$name" >&2
            exit 2
            ;;
    esac
done
tools/benchmark_tables.py
