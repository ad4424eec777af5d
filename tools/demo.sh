#!/usr/bin/env bash
# demo.sh TOOL [KEYS]: the main use end to end with generated keys: size, build, query from the file, verify, report.
# Exit code 1 if a member is not found or the filter is not as planned.
set -euo pipefail
tool=$(realpath "$1")
keys=${2:-5000000}
wanted_fpr=0.001

work=$(mktemp -d "${TMPDIR:-/tmp}/membrane-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; fi

grouped() { printf '%d' "$1" | sed -e ':a' -e 's/\([0-9]\)\([0-9]\{3\}\)\($\|,\)/\1,\2\3/;ta'; }
percent() { awk -v x="$1" 'BEGIN { printf "%.4g", 100 * x }'; }
value_of() { tr -d '\n' <"$2" | sed -n 's/.*"'"$1"'" *: *"\{0,1\}\([^",}]*\).*/\1/p' | sed 's/ *$//'; }
row() { printf '  %-18s %s\n' "$1" "$2"; }

step=0
# Runs a command and prints its time; sets `answer` to its standard output and `status` to its exit code.
timed() {
    local what=$1 from to
    shift
    step=$((step + 1))
    from=$(date +%s%N)
    status=0
    answer=$("$@" 2>error.txt) || status=$?
    to=$(date +%s%N)
    printf '  %s%d%s %-46s %s%6.2f s%s\n' "$bold" "$step" "$plain" "$what" "$dim" \
        "$(awk -v t=$((to - from)) 'BEGIN { print t / 1e9 }')" "$plain"
    if ((status > 1)); then
        cat error.txt >&2
        printf 'demo: %s: ended with %d\n' "$*" "$status" >&2
        exit 1
    fi
}

make_keys() {
    seq -f 'user-%.0f@example.org' 1 "$keys" >members.txt
    seq -f 'guest-%.0f@example.net' 1 "$keys" >strangers.txt
}

printf '%smembrane demo%s  %s keys such as user-1@example.org, at most %s %% false yes, never a false no\n\n' \
    "$bold" "$plain" "$(grouped "$keys")" "$(percent "$wanted_fpr")"
timed "plan: which filter, how large" "$tool" plan --keys "$keys" --fpr "$wanted_fpr"
printf '\n%s\n\n' "$answer" | sed 's/^/    /'
timed "make members and as many strangers" make_keys
timed "size and build the filter: members.mbr" "$tool" build -o members.mbr --fpr "$wanted_fpr" members.txt
plan=$(sed -n '1s/^membrane: //p' error.txt)
reason=$(sed -n 's/^membrane: chosen by plan: //p' error.txt)
timed "ask the file for every member" "$tool" query members.mbr members.txt --count
found=$answer
timed "ask the file for every stranger" "$tool" query members.mbr strangers.txt --count
strangers_taken=$answer
timed "verify: members again, and random probes" \
    "$tool" verify members.mbr --members members.txt --probes "$keys" --json
verify_status=$status
printf '%s\n' "$answer" >verify.json
"$tool" info members.mbr --json >info.json

missed=$((keys - found))
verify_missed=$(value_of false_negatives verify.json)
file_bytes=$(stat -c %s members.mbr)
keys_bytes=$(stat -c %s members.txt)
bits_per_key=$(awk -v x="$(value_of bits_per_key info.json)" 'BEGIN { printf "%.2f", x }')
ns_per_lookup=$(value_of ns_per_lookup verify.json)

printf '\n'
row "built" "$plan"
row "because" "$reason"
row "filter" "$(value_of kind info.json), hashed by $(value_of hash info.json)"
row "false negatives" "$missed of $(grouped "$keys") members"
row "false positives" "$(percent "$(value_of fpr verify.json)") %  (interval $(percent "$(value_of fpr_low verify.json)") .. $(
    percent "$(value_of fpr_high verify.json)") %, planned $(percent "$(value_of planned_fpr verify.json)") %)"
row "strangers taken" "$(grouped "$strangers_taken") of $(grouped "$keys")  ($(
    awk -v a="$strangers_taken" -v n="$keys" 'BEGIN { printf "%.4g", 100 * a / n }') %)"
row "bits per key" "$bits_per_key"
row "file" "$(grouped "$file_bytes") bytes; the keys themselves take $(grouped "$keys_bytes")"
[[ -z $ns_per_lookup ]] || row "lookup" "$(awk -v x="$ns_per_lookup" 'BEGIN { printf "%.0f", x }') ns per key"
printf '\n'

if ((missed != 0 || verify_missed != 0)); then
    printf '  %sFAILED%s: members were missed\n' "$bold" "$plain"
    exit 1
elif ((verify_status != 0)); then
    printf '  %sFAILED%s: the filter is not as planned\n' "$bold" "$plain"
    exit 1
fi
printf '  %sAs planned%s: no member missed, and the rate of false yes is what was asked for.\n' "$bold" "$plain"
