#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hanging_clients.py PORT COUNT: so many clients that send half a request, and as many that ask many times and read nothing. Says so when
all have connected and sent, and keeps them open. One that loses its connection is not replaced."""
import select
import socket
import sys
import time

port, count = map(int, sys.argv[1:])
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"


def connect(sent):
    client = socket.socket()
    # The answers have no room: the server has to wait for this client.
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    client.connect(("127.0.0.1", port))
    client.sendall(sent)
    return client


clients = []
for _ in range(count):
    clients += [connect(REQUEST[:20]), connect(REQUEST * 90)]
# Some have their answers begun, which they do not read.
while not any(select.select([c], [], [], 0)[0] for c in clients):
    time.sleep(0.1)
print("all hang", flush=True)
while True:
    time.sleep(60)
