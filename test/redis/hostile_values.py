#!/usr/bin/env python3
"""3,000 changed values into RESTORE, LOADCHUNK and LOAD: refused or usable, and the server lives."""
from support.hostile import Attack
from support.server import served

COUNT = 3000


def main():
    with served(module_arguments=('MAX-BYTES', '4mb')) as (_, client):
        attack = Attack(client, seed=1)
        attack.prepare()
        before = client('DEBUG', 'DIGEST')
        attack.run(COUNT, most_bytes=40 << 20)
        assert client('DEBUG', 'DIGEST') == before
        print(f'{attack.tried} tried, {attack.accepted} accepted and used')
        # A test that never got past a check would test nothing.
        assert COUNT // 50 < attack.accepted < COUNT // 2, attack.accepted


main()
