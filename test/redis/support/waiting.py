"""Waits for a state of the server."""
import time


def wait_for(client, field, wanted=b'0', section='persistence'):
    for _ in range(1500):
        info = client.info(section)
        if info[field] == wanted:
            return info
        time.sleep(0.02)
    raise AssertionError(f'{field} did not become {wanted}')
