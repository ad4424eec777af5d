#!/usr/bin/env python3
"""3,000 changed values for RESTORE, LOADCHUNK and LOAD: each is refused or usable, and the server does not crash."""
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
        # If no value were accepted, the code behind the checks would not be tested.
        assert COUNT // 50 < attack.accepted < COUNT // 2, attack.accepted


main()
