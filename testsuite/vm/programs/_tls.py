# SPDX-License-Identifier: GPL-2.0-or-later
"""_tls.py CERTIFICATE CONNECTIONS: a client and a server of TLS in one process. Prints handshakes, those that failed, and bytes read and written."""
import ssl
import sys

server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain(sys.argv[1])
handshakes = failed = read = written = 0


def connected(trusts):
    global handshakes, failed
    client_context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    if trusts:
        client_context.load_verify_locations(sys.argv[1])
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_context.wrap_bio(to_client, to_server)
    server = server_context.wrap_bio(to_server, to_client, server_side=True)
    waiting = [client, server]
    while waiting:
        side = waiting.pop(0)
        try:
            side.do_handshake()
            handshakes += 1
        except ssl.SSLWantReadError:
            waiting.append(side)
        except ssl.SSLError:
            failed += 1
    return client, server


for i in range(int(sys.argv[2])):
    sides = connected(True)
    for sender, receiver in (sides, sides[::-1]):
        text = b"wren %d" % i
        written += sender.write(text)
        assert receiver.read(1000) == text
        read += len(text)
connected(False)
print(handshakes, failed, read, written)
