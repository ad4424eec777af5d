#!/usr/bin/env python3
"""The table of doc/testing.md is what doc/campaign.csv says, and the campaign counts only what was done: no part whose command fails, whose
test was skipped or was not found."""
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ['MEMBRANE_SOURCE_DIR'])
sys.path.insert(0, str(SOURCE / 'tools'))
import campaign  # noqa: E402


class Document(unittest.TestCase):
    def test_the_table_is_what_the_record_says(self):
        found, expected = campaign.written_document()
        self.assertEqual(found, expected, 'run tools/campaign.py document')

    def test_every_campaign_has_a_line(self):
        names = [line.split('|')[1].strip() for line in campaign.table_text().splitlines()[2:]]
        self.assertEqual(names, [f'R{i}' for i in range(1, 13)])
        self.assertEqual(set(names), set(campaign.TITLES))

    def test_nothing_is_called_reached_without_a_date(self):
        for part in campaign.read_parts():
            self.assertEqual(bool(float(part['reached'] or 0)), bool(part['date']), part['part'])


class Counting(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kept = {name: getattr(campaign, name) for name in ('SOURCE', 'TABLE', 'DOCUMENT', 'LOGS')}
        self.addCleanup(lambda: [setattr(campaign, *each) for each in kept.items()])
        root = pathlib.Path(folder.name)
        campaign.SOURCE, campaign.TABLE, campaign.DOCUMENT, campaign.LOGS = root, root / 'c.csv', root / 'c.md', root / 'logs'
        campaign.DOCUMENT.write_text(f'{campaign.BEGIN}\n{campaign.END}\n')

    def reached(self, command, wanted=30, unit='things', count=None):
        """(exit code, reached, date) after a run of a part with this command, 10 units at a time."""
        part = dict.fromkeys(campaign.FIELDS, '') | {'name': 'R1', 'part': 'it', 'unit': unit, 'wanted': wanted, 'each': '10', 'command': command}
        campaign.write_parts([part])
        with contextlib.redirect_stdout(io.StringIO()):
            code = campaign.run('R1', None, count, '')
        after = campaign.read_parts()[0]
        return code, after['reached'], bool(after['date'])

    def test_what_was_done_counts_until_all_is_reached(self):
        self.assertEqual(self.reached('true'), (0, '30', True))
        self.assertEqual(self.reached('echo 7 faults'), (0, '35', True))
        self.assertEqual(self.reached('echo {count} faults', count=4), (0, '4', True))
        self.assertIn('| 30 things | 4 things |', campaign.DOCUMENT.read_text())

    def test_what_failed_or_did_nothing_does_not_count(self):
        for command in ('false', 'echo 7 faults; false', 'false | cat', 'echo "[==========] Running 0 tests from 0 test suites."',
                        'echo "[  SKIPPED ] Kinds.It"', 'echo 0 faults', 'echo "  1/1 Test #1: long ...***Skipped"'):
            self.assertEqual(self.reached(command), (1, '', False), command)

    def test_an_end_that_was_reached_before_is_no_failure(self):
        self.assertEqual(self.reached('echo $(( {done} < 20 ? 10 : 0 )) faults'), (0, '20', True))

    def test_each_run_gets_another_seed_and_place(self):
        self.assertEqual(self.reached('echo {seed} {done} {count} >> said')[1], '30')
        self.assertEqual((campaign.SOURCE / 'said').read_text(), '1 0 10\n2 10 10\n3 20 10\n')

    def test_a_share_is_measured_and_not_summed_up(self):
        self.assertEqual(self.reached('echo "41.7 % of the lines of all decoders"', wanted=95, unit='% of lines')[1], '41')


unittest.main()
