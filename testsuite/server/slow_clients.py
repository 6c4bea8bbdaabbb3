# SPDX-License-Identifier: GPL-2.0-or-later
# Opens many connections that are slow or broken in different ways, and keeps them for a while.
#   slow_clients.py PORT COUNT SECONDS
import socket
import ssl
import sys
import time

port, count, seconds = (int(word) for word in sys.argv[1:4])
context = ssl.create_default_context(cafile="ca.pem")
context.load_cert_chain("tracer.pem", "tracer.key")
clients = []
for number in range(count):
    client = socket.create_connection(("localhost", port))
    kind = number % 5
    try:
        if kind == 0:
            pass  # says nothing
        elif kind == 1:
            client.sendall(b"\x16\x03\x01")  # the beginning of a handshake
        elif kind == 2:
            client.sendall(b"GET / HTTP/1.1\r\n\r\n")  # no TLS
        elif number % 50 == 3:
            client = context.wrap_socket(client, server_hostname="localhost")
            client.sendall(b"POST /v1/modules HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{")
        elif number % 50 == 4:
            client = context.wrap_socket(client, server_hostname="localhost")
            client.sendall(b"GET /v1/ker")
    except OSError:
        pass
    clients.append(client)
print("ready", len(clients), flush=True)
time.sleep(seconds)
