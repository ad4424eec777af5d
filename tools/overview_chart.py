#!/usr/bin/env python3
"""overview_chart.py TOOL PEERS.csv: the chart of the README, as SVG: false positive rate over bits per key of our kinds and of other filters.

Ours are the plans of the tool for a million keys. The others are the measured points of the CSV file.
"""
import csv
import json
import math
import subprocess
import sys

# name: kind, options of the plan, colour, width, rate at which the name stands, its shift
OURS = {'balanced_rank (grows)': ('balanced_rank', (), '#c2410c', 2.6, 0.0002, 8, 0, 'start'),
        'fixed': ('balanced_rank', ('--fixed',), '#ea8a5b', 1.8, 0.00005, -8, 6, 'end'),
        'blocked_bloom': ('blocked_bloom', (), '#1d4ed8', 2.6, 0.0005, 8, -4, 'start'),
        'bloom': ('bloom', (), '#64748b', 1.4, 0.00005, 8, 0, 'start')}
PEER_STYLES = {'add': ('#0f766e', 'keys are added'), 'erase': ('#7e22ce', 'keys are added and erased'), 'static': ('#a16207', 'the set is known before')}
RATES = [0.03, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001, 0.00005, 0.00002]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 460, 70, 20, 58, 48
BITS, RATE = (5, 27), (0.04, 0.00001)


def planned_bits(tool, kind, rate, more):
    run = subprocess.run([tool, 'plan', '--keys', '1M', '--fpr', repr(rate), '--kind', kind, *more, '--json'], capture_output=True, check=True)
    return json.loads(run.stdout)['candidates'][0]['filter']['bits_per_key']


def place(bits, rate):
    x = LEFT + (bits - BITS[0]) / (BITS[1] - BITS[0]) * (WIDTH - LEFT - RIGHT)
    y = TOP + math.log(RATE[0] / rate) / math.log(RATE[0] / RATE[1]) * (HEIGHT - TOP - BOTTOM)
    return f'{x:.1f}', f'{y:.1f}'


def label(bits, rate, text, colour, dx=8, dy=4, anchor='start'):
    x, y = place(bits, rate)
    return f'<text x="{float(x) + dx:.1f}" y="{float(y) + dy:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'


def line(points, colour, width, dashes=''):
    path = ' '.join(','.join(place(bits, rate)) for bits, rate in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"' + (f' stroke-dasharray="{dashes}"' if dashes else '') + '/>'


def axes():
    drawn = []
    for rate, text in ((0.01, '1 %'), (0.001, '0.1 %'), (0.0001, '0.01 %'), (0.00001, '0.001 %')):
        (x1, y), (x2, _) = place(BITS[0], rate), place(BITS[1], rate)
        drawn += [f'<line x1="{x1}" x2="{x2}" y1="{y}" y2="{y}" stroke="#e2e8f0"/>', f'<text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end" fill="#475569">{text}</text>']
    for bits in range(6, 27, 4):
        (x, y1), (_, y2) = place(bits, RATE[0]), place(bits, RATE[1])
        drawn += [f'<line x1="{x}" x2="{x}" y1="{y1}" y2="{y2}" stroke="#e2e8f0"/>', f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle" fill="#475569">{bits}</text>']
    drawn.append(f'<text x="{(WIDTH + LEFT) / 2:.0f}" y="{HEIGHT - 10}" text-anchor="middle" fill="#475569">bits per key (a million keys)</text>')
    return drawn


def main():
    tool, peers = sys.argv[1:3]
    drawn = ['<text x="70" y="24" font-size="17" fill="#0f172a">False positive rate over bits per key: further left and lower is better</text>',
             '<text x="70" y="44" fill="#475569">Lines: membrane. Points: other filters, measured.</text>', *axes()]
    drawn.append(line([(math.log2(1 / rate), rate) for rate in RATES if math.log2(1 / rate) >= BITS[0]], '#94a3b8', 1.2, '5 4'))
    drawn.append(label(math.log2(1 / 0.002), 0.002, 'the limit of any filter', '#64748b', -10, 4, 'end'))
    for name, (kind, more, colour, width, label_rate, dx, dy, anchor) in OURS.items():
        points = [(planned_bits(tool, kind, rate, more), rate) for rate in RATES]
        drawn.append(line([(bits, rate) for bits, rate in points if bits <= BITS[1]], colour, width))
        drawn.append(label(points[RATES.index(label_rate)][0], label_rate, name, colour, dx, dy, anchor))
    with open(peers, encoding='utf-8') as file:
        rows = list(csv.DictReader(row for row in file if not row.startswith('#')))
    named = set()
    for row in rows:
        bits, rate, colour = float(row['bits']), float(row['percent']) / 100, PEER_STYLES[row['ability']][0]
        x, y = place(bits, rate)
        drawn.append(f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"><title>{row["name"]}: {bits} bits per key, {row["percent"]} %</title></circle>')
        named.add(row['name'])
    places = {'Boost.Bloom (fast_multiblock64)': (23.61, 0.0001031, 0, -10, 'middle'), 'RocksDB Bloom': (22.0, 0.0001013, -8, 8, 'end'),
              'cuckoo filter (FastFilter)': (12.77, 0.001824, 9, -4, 'start'), 'vector quotient filter': (20.8, 0.000022, 9, 4, 'start'),
              'binary fuse filter': (18.01, 0.0000139, -9, 0, 'end'), 'RocksDB Ribbon': (10.3, 0.0011, -9, 10, 'end')}
    colours = {row['name']: PEER_STYLES[row['ability']][0] for row in rows}
    for name in sorted(named):
        bits, rate, dx, dy, anchor = places[name]
        drawn.append(label(bits, rate, name, colours[name], dx, dy, anchor))
    for i, (colour, text) in enumerate(PEER_STYLES.values()):
        drawn.append(f'<circle cx="{WIDTH - 210}" cy="{TOP + 16 + 18 * i}" r="4.5" fill="{colour}"/><text x="{WIDTH - 198}" y="{TOP + 20 + 18 * i}" fill="{colour}">{text}</text>')
    drawn.sort(key=lambda element: element.startswith('<text'))  # words above lines
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13" role="img">')
    print('<style>text { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; }</style>')
    print(f'<title>False positive rate over bits per key</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>')
    print('\n'.join(drawn))
    print('</svg>')


if __name__ == '__main__':
    main()
