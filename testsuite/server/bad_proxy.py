#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bad_proxy.py PORT CERTIFICATE KEY CA CLIENT-CERTIFICATE CLIENT-KEY: hands requests on to the build server at PORT and prints "ports CUT CHANGED".
Answers at the port CUT end in their middle; at the port CHANGED one character of each module is another one."""
import http.server
import ssl
import sys
import threading
import urllib.request

server_port, certificate, key, authority, client_certificate, client_key = sys.argv[1:]
upstream = ssl.create_default_context(cafile=authority)
upstream.load_cert_chain(client_certificate, client_key)


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = urllib.request.Request(
            f"https://localhost:{server_port}{self.path}", body, {"Accept": self.headers["Accept"], "Content-Type": "application/json"})
        with urllib.request.urlopen(request, context=upstream) as answer:
            data = answer.read()
        sent = data
        if self.server.changes:
            at = data.index(b'"data":"') + 1000
            sent = data[:at] + (b"A" if data[at:at + 1] != b"A" else b"B") + data[at + 1:]
        else:
            sent = data[:len(data) // 2]
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(sent)
        self.close_connection = True

    def log_message(self, *_):
        pass


ports = []
for changes in (False, True):
    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    proxy.changes = changes
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    proxy.socket = context.wrap_socket(proxy.socket, server_side=True)
    ports.append(proxy.server_address[1])
    threading.Thread(target=proxy.serve_forever).start()
print("ports", *ports, flush=True)
