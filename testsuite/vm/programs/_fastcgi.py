# SPDX-License-Identifier: GPL-2.0-or-later
"""_fastcgi.py PORT SCRIPT...: asks a FastCGI server for scripts, one after the other."""
import socket
import struct
import sys


def record(kind, content):
    return struct.pack(">BBHHBB", 1, kind, 1, len(content), 0, 0) + content


for script in sys.argv[2:]:
    values = {"SCRIPT_FILENAME": script, "SCRIPT_NAME": "/" + script.rsplit("/", 1)[-1], "REQUEST_METHOD": "GET", "CONTENT_LENGTH": "0"}
    pairs = b"".join(bytes([len(name), len(value)]) + name.encode() + value.encode() for name, value in values.items())
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as server:
        server.sendall(record(1, struct.pack(">HB5x", 1, 0)) + record(4, pairs) + record(4, b"") + record(5, b""))
        while server.recv(65536):
            pass
