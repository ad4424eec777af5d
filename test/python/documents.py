#!/usr/bin/env python3
"""The examples in the docstrings and in doc/python.md print what they say, those of the front page and example/python run; every public name has a docstring; the stub of the compiled part
names what it has."""
import ast
import doctest
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest

import membrane
from membrane import _arrays, _core, _counting, _filters, _plans

SOURCE = os.environ.get('MEMBRANE_SOURCE_DIR', os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
NAMES = {'membrane': membrane}


class Documents(unittest.TestCase):
    def test_docstrings(self):
        tried = 0
        for module in (membrane, _arrays, _counting, _filters, _plans):
            found = doctest.testmod(module, extraglobs=NAMES)
            self.assertEqual(found.failed, 0, module.__name__)
            tried += found.attempted
        self.assertGreater(tried, 25)

    def test_tour(self):
        with tempfile.TemporaryDirectory() as folder:
            old = os.getcwd()
            os.chdir(folder)
            try:
                # Blocks between ```pycon and ```: doctest would take the fence for output.
                with open(os.path.join(SOURCE, 'doc', 'python.md'), encoding='utf-8') as file:
                    text = file.read().replace('\n```', '\n\n')
                test = doctest.DocTestParser().get_doctest(text, {}, 'python.md', 'python.md', 0)
                self.assertGreater(len(test.examples), 30)
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
                self.assertEqual(runner.run(test).failed, 0)
            finally:
                os.chdir(old)

    def test_front_page(self):
        with open(os.path.join(SOURCE, 'README.md'), encoding='utf-8') as file:
            program = file.read().split('```python\n')[1].split('```')[0]
        names = {}
        exec(program, names)  # pylint: disable=exec-used
        self.assertIn('alice@example.org', names['shared'])
        self.assertEqual(len(names['mask']), 10_000)

    def test_hashes(self):
        with open(os.path.join(SOURCE, 'doc', 'keys.md'), encoding='utf-8') as file:
            rows = re.findall(r'^\| `(.+)` \| `([0-9a-f]{32})` \|$', file.read(), re.M)
        self.assertEqual(len(rows), 3)
        seen = membrane.Filter(10, 0.1, hash_key=bytes(range(16)))
        for key, wanted in rows:
            self.assertEqual(seen.key_hash(ast.literal_eval(key)).hex(), wanted)

    def test_notebook(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(SOURCE, 'example', 'python', 'rates.py')
            printed = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=True).stdout
            self.assertIn('balanced_rank', printed)
            has_matplotlib = importlib.util.find_spec('matplotlib') is not None
            self.assertEqual(os.path.exists(os.path.join(folder, 'rates.png')), has_matplotlib)

    def test_everything_public_is_described(self):
        for name in membrane.__all__:
            thing = getattr(membrane, name)
            self.assertTrue(inspect.getdoc(thing), name)
            for member in dir(thing) if inspect.isclass(thing) and not issubclass(thing, Exception) else ():
                if not member.startswith('_') and not (thing is membrane.Candidate or (thing is membrane.Plan and member in ('json', 'candidates'))):
                    self.assertTrue(inspect.getdoc(getattr(thing, member)), f'{name}.{member}')

    def test_stub(self):
        with open(os.path.join(os.path.dirname(membrane.__file__), '_core.pyi'), encoding='utf-8') as file:
            tree = ast.parse(file.read())
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                stated = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
                there = {name for name, value in vars(getattr(_core, node.name)).items()
                         if callable(value) or inspect.isgetsetdescriptor(value)} - {'__new__', '__doc__', '__weakref__'}
                self.assertEqual(stated, there, node.name)
        top = {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        top |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
        self.assertEqual(top, {name for name in dir(_core) if not name.startswith('__')})
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(membrane.__file__), 'py.typed')))


if __name__ == '__main__':
    sys.exit(unittest.main())
