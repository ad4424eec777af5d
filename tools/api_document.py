#!/usr/bin/env python3
"""api_document.py [--check]: writes doc/api.md, every public declaration with its comments, from the headers. Run it after a change of one.

A header is shown without what only the library needs: function bodies, private sections, namespaces named *_detail, includes, macros.
--check writes nothing and ends with 1 if the document is not that of the headers.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, 'doc', 'api.md')
INTRODUCTION = '''# Every public name

Made from the headers by `tools/api_document.py`; `./dev test` compares them. Names that are not here, and names in namespaces that end with
`_detail`, may change without notice. [tutorial.md](tutorial.md) is the better place to begin; `#include <membrane/membrane.hpp>` has everything.

In one sentence each:

- **`membrane::filter(keys, rate)`**: grows, chooses its kind; link the library. The calls: `insert`, `insert_many`, `insert_if_absent`,
  `may_contain`, `may_contain_many`, `erase`, `count`, `merge` and `|=`, `==`, `save`, `load`, `to_bytes`, `from_bytes`.
- **Header-only filters of one kind** have the same calls and nothing to link: `balanced_rank_filter`, `blocked_bloom_filter`, ...
- **`mapped_filter::open(path)`** answers from a file without a copy.
- **Errors**: a call throws `filter_error`; its form whose name begins with `try_` returns a `result` instead.
'''
SECTIONS = {
    'The filter': ['filter/filter.hpp', 'part/key_calls.hpp'],
    'Header-only filters': ['filter/filters.hpp', 'filter/typed.hpp', 'filter/like.hpp'],
    'Filters for many threads': ['filter/concurrent_filter.hpp', 'filter/concurrent_filters.hpp', 'filter/concurrent_calls.hpp'],
    'Keys and hashes': ['hash/key.hpp', 'hash/hasher.hpp', 'hash/hash_key.hpp', 'hash/key_hash.hpp', 'hash/hash_batches.hpp', 'part/key_batches.hpp'],
    'Results and errors': ['base/result.hpp', 'base/error.hpp', 'base/raise.hpp', 'base/insertion.hpp', 'base/comparison.hpp', 'base/function_ref.hpp', 'base/aligned_buffer.hpp'],
    'Files': ['runtime/mapped_filter.hpp', 'runtime/save.hpp', 'runtime/build.hpp', 'runtime/hash_spool.hpp', 'filter/file_bytes.hpp', 'format/file_view.hpp',
              'format/labels.hpp', 'format/packed.hpp', 'runtime/number_files.hpp'],
    'Sizes and plans': ['spec/bits_per_key.hpp', 'spec/filter_spec.hpp', 'spec/capabilities.hpp', 'spec/kind_rules.hpp', 'plan/requirement.hpp',
                        'plan/candidate.hpp', 'plan/ranking.hpp', 'plan/kind_plan.hpp', 'runtime/planner.hpp', 'runtime/kind_text.hpp', 'part/growth_policy.hpp', 'plan/lookup_costs.hpp'],
    'Sizes of each kind without the planner': ['kind/bloom/spec.hpp', 'part/flat_spec.hpp', 'kind/counting_bloom/spec.hpp', 'kind/blocked_bloom/spec.hpp',
                                               'kind/blocked_bloom/sizing.hpp', 'kind/balanced_bloom/spec.hpp', 'kind/balanced_rank/spec.hpp',
                                               'kind/balanced_rank/sizing.hpp', 'kind/rank/spec.hpp', 'kind/rank/sizing.hpp', 'kind/count_min/spec.hpp',
                                               'kind/count_min/sizing.hpp', 'kind/choice_bloom/spec.hpp', 'kind/choice_bloom/rounds_request.hpp'],
    'Engines: filters of any kind, over hashes': ['runtime/any_view.hpp', 'runtime/any_filter.hpp', 'runtime/grower.hpp', 'runtime/registry.hpp',
                                                  'runtime/kind_ops.hpp', 'runtime/concurrent_engine.hpp', 'part/counted_number.hpp', 'part/filter_copy.hpp',
                                                  'kind/count_min/top_section.hpp'],
    'A map with bounded lookups': ['table/balanced_table.hpp'],
}
# Named in what is documented, but for the library's own use: engines behind filters for many threads, parts of a table.
INTERNAL = {'block_insertions', 'concurrent_blocks', 'concurrent_rank', 'striped_count', 'heavy_hitters', 'bucket_table', 'placement',
            'multi_level_placement', 'chain', 'line', 'counted_list', 'positions'}
DEFINITION = re.compile(r'^(?:(?:class|struct|enum class|concept) (\w+)(?! ?[\w:]*;)|using (\w+) =|(?:inline|constexpr) [^\n=;{]*?\b(\w+_(?:words|spec_for))\()', re.M)
HIDDEN_NAMESPACE = re.compile(r'_detail$|\bnamespace (?:shape|plan)$')
KEEPS_BODY = re.compile(r'^(?:inline\s+)?(?:namespace|class|struct|union|enum)\b')


def without_template(statement):
    """The declaration behind `template <...>` and `requires ...`."""
    while statement.startswith('template'):
        depth = 0
        for at, char in enumerate(statement):
            depth += {'<': 1, '>': -1}.get(char, 0)
            if char == '>' and depth == 0:
                break
        statement = statement[at + 1:].strip()
    return statement


def end_of_block(text, at):
    """The index behind the brace that closes the one at `at`."""
    depth, quote = 0, ''
    while at < len(text):
        char = text[at]
        if quote:
            if char == '\\':
                at += 1
            elif char == quote:
                quote = ''
        elif text.startswith('//', at):
            at = text.index('\n', at)
        elif char == '"' or (char == "'" and not text[at - 1].isalnum()):
            quote = char
        elif char == '{':
            depth += 1
        elif char == '}':
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError('no end of a block')


def declarations(text):
    """The header without bodies, private sections and *_detail namespaces."""
    out, statement, blocks, at = [], '', [], 0
    parentheses = 0

    def hidden():
        return any(block['hidden'] for block in blocks)

    def flush(end):
        nonlocal statement
        if not hidden():
            out.append(statement + end)
        statement = ''

    while at < len(text):
        if text.startswith('//', at):
            end = text.index('\n', at)
            statement += text[at:end]
            at = end
            continue
        char = text[at]
        if char == '"':
            end = at + 1
            while text[end] != '"':
                end += 2 if text[end] == '\\' else 1
            statement += text[at:end + 1]
            at = end + 1
            continue
        code = without_template(re.sub(r'//[^\n]*', '', statement).strip())
        parentheses += {'(': 1, ')': -1}.get(char, 0)
        if char == '{' and parentheses == 0:
            if KEEPS_BODY.match(code) and '=' not in code:
                is_namespace = 'namespace' in code.split()[:2]
                if is_namespace:
                    comment = re.match(r'\s*(?://[^\n]*\n\s*)*', statement).group(0).rstrip()
                    statement = '' if HIDDEN_NAMESPACE.search(code) else comment + '\n\n' if comment.strip() else '\n\n'
                    flush('')
                else:
                    flush('{')
                starts_private = re.match(r'class\b', code) is not None
                blocks.append({'hidden': is_namespace and HIDDEN_NAMESPACE.search(code) is not None or starts_private,
                               'is_namespace': is_namespace, 'private': starts_private})
                at += 1
                continue
            end = end_of_block(text, at)
            if ')' in code and not re.search(r'(=|requires) requires\s*\([^{]*\)$', code) and not re.search(r'=\s*$', code) and not code.startswith('concept'):
                # A function: its body and its list of initialisers go.
                comment = re.match(r'(?:\s*//[^\n]*\n)*', statement).group(0)
                declaration = statement[len(comment):].rstrip()
                initialisers = re.search(r'\)\s*(?:(?:const|noexcept)\s*)*(:)(?!:)', declaration)
                statement = comment + (declaration[:initialisers.start(1)].rstrip() if initialisers else declaration)
                flush(';')
                at = end
                if text.startswith(';', at):
                    at += 1
                continue
            statement += text[at:end]
            at = end
            continue
        if char == '}' and parentheses == 0:
            block = blocks.pop()
            if block['private']:
                statement = ''
            if not block['is_namespace'] and not hidden():
                indent = '    ' * sum(not each['is_namespace'] for each in blocks)
                out.append(statement.rstrip() + '\n' + indent + '}')
            elif not hidden():
                out.append(statement)
            statement = ''
            at += 1
            if block['is_namespace']:
                at = text.index('\n', at)
            continue
        statement += char
        at += 1
        if char == ';' and parentheses == 0:
            flush('')
        label = re.search(r'(?:^|\n)\s*(public|private|protected):$', statement)
        if char == ':' and label and blocks:
            is_private = label.group(1) == 'private'
            if is_private:
                statement = ''
                blocks[-1].update(hidden=True, private=True)
            elif blocks[-1]['private']:
                blocks[-1].update(hidden=False, private=False)
                statement = '\n' + label.group(0).strip('\n')
    out.append(statement)
    return ''.join(out)


def tidy(text):
    text = re.sub(r'^#.*(?:\\\n.*)*\n', '', text, flags=re.M)
    text = re.sub(r'^MEMBRANE_\w+(?:\(.*\))?\n', '', text, flags=re.M)
    text = declarations(text)
    # Friends that are no operators or swaps, and shift of what stays.
    text = re.sub(r'\n    friend (?!.*(?:operator|swap))[^;]*;', '', text)
    text = re.sub(r'[ \t]+\n', '\n', text)
    return re.sub(r'\n{3,}', '\n\n', text).strip()


def section_of(header):
    with open(os.path.join(ROOT, 'include', 'membrane', header), encoding='utf-8') as file:
        text = file.read()
    opening, _, rest = text.partition('#pragma once')
    words = re.sub(r'^//( |$)', '', opening, flags=re.M).strip()
    code = tidy(rest.strip() + '\n')
    return f'### `<membrane/{header}>`\n\n{as_prose(words)}\n\n```\n{code}\n```\n'


def undocumented():
    """Types that a documented declaration needs and that no documented header defines."""
    documented = {header for headers in SECTIONS.values() for header in headers}
    base = os.path.join(ROOT, 'include', 'membrane')
    defined_in = {}
    for folder, _, names in os.walk(base):
        for name in names:
            if name.endswith('.hpp'):
                path = os.path.join(folder, name)
                with open(path, encoding='utf-8') as file:
                    for found in DEFINITION.finditer(file.read()):
                        defined_in.setdefault(found[1] or found[2] or found[3], set()).add(os.path.relpath(path, base))
    missing = set()
    for header in documented:
        code = re.sub(r'//[^\n]*|"[^"\n]*"', '', section_of(header).partition('```')[2])
        for name in set(re.findall(r'\b[a-z]\w+\b', code)) - INTERNAL:
            if name in defined_in and not defined_in[name] & documented:
                missing.add(f'{header}: {name}, of {min(defined_in[name])}, is not in doc/api.md')
    return sorted(missing)


def as_prose(words):
    """Indented lines of a comment become a block."""
    out, in_code = [], False
    for line in words.splitlines():
        is_code = line.startswith('  ')
        if is_code != in_code:
            out += ['```' if in_code else '\n```']
            in_code = is_code
        out.append(line)
    return '\n'.join(out + (['```'] if in_code else []))


def main():
    if missing := undocumented():
        sys.exit('\n'.join(missing))
    parts = [INTRODUCTION]
    for title, headers in SECTIONS.items():
        parts.append(f'## {title}\n')
        parts += [section_of(header) for header in headers]
    made = '\n'.join(parts)
    if '--check' in sys.argv[1:]:
        with open(DOCUMENT, encoding='utf-8') as file:
            if file.read() == made:
                return
        sys.exit('doc/api.md is not that of the headers: run tools/api_document.py')
    with open(DOCUMENT, 'w', encoding='utf-8') as file:
        file.write(made)


if __name__ == '__main__':
    main()
