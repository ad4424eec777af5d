#!/usr/bin/env python3
"""npm's redis client, RESP2 and RESP3, with every command of its bf, cf, cms and topK. It is
a long test because it installs the client from the network, into a temporary folder."""
import os
import shutil
import subprocess
import tempfile

from support.server import served


def main():
    assert shutil.which('node') and shutil.which('npm'), 'node and npm are needed'
    script = os.path.join(os.path.dirname(os.path.realpath(__file__)), 'support', 'node_client.mjs')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['npm', 'install', '--silent', '--no-audit', '--no-fund', 'redis'], cwd=folder, check=True)
        shutil.copy(script, folder)
        for protocol in ('2', '3'):
            with served() as (server, _):
                subprocess.run(['node', 'node_client.mjs', str(server.port), protocol], cwd=folder, check=True, timeout=60)


main()
