#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""collector.py DIR [PORT]: stands in for a collector. DIR/mode says how it answers; what it accepts is DIR/received/N, with N.head.

DIR/port is there once it listens. DIR/asked has a line for each request: its mode, and the time since the one before.
"""
import http.server
import os
import sys
import time

directory = sys.argv[1]
received = os.path.join(directory, "received")
os.makedirs(received, exist_ok=True)
last = time.monotonic()


def mode():
    with open(os.path.join(directory, "mode"), encoding="ascii") as file:
        return file.read().strip()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/x-protobuf", **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def keep(self, body):
        number = len(os.listdir(received)) // 2
        with open(os.path.join(received, f"{number:05}.head"), "w", encoding="latin1") as file:
            file.write(f"{self.command} {self.path}\n{self.headers}")
        # The body comes last, and at once.
        path = os.path.join(received, f"{number:05}")
        with open(path + ".new", "wb") as file:
            file.write(body)
        os.rename(path + ".new", path)

    def do_POST(self):
        global last
        body = self.rfile.read(int(self.headers["Content-Length"]))
        now, how = time.monotonic(), mode()
        with open(os.path.join(directory, "asked"), "a", encoding="ascii") as file:
            file.write(f"{how} {now - last:.3f} {self.path}\n")
        last = now
        if how in ("ok", "partial", "json", "slow"):
            self.keep(body)
        if how == "ok":
            self.answer(200)
        elif how == "slow":
            time.sleep(1)
            self.answer(200)
        elif how == "partial":  # ExportMetricsPartialSuccess: 3 points, "too old"
            self.answer(200, b"\x0a\x0b\x08\x03\x12\x07too old")
        elif how == "json":
            self.answer(200, b'{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"odd"}}', "application/json")
        elif how == "busy":
            self.answer(429, Retry_After="2")
        elif how == "refuses":  # a google.rpc.Status
            self.answer(400, b"\x08\x03\x12\x0bbad metrics")
        elif how == "redirects":
            self.answer(307, Location="http://127.0.0.1:1/elsewhere")
        elif how == "page":
            self.answer(200, b"<html>Please log in</html>", "text/html")
        elif how == "garbage":
            self.wfile.write(b"\x00\xff\x13\x37 is this HTTP?\r\n" * 100)
            self.close_connection = True
        elif how == "endless":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\r\n")
            try:
                while True:
                    self.wfile.write(b"x" * 65536)
            except OSError:
                self.close_connection = True
        elif how == "hangs":
            time.sleep(3600)
        elif how == "closes":
            self.close_connection = True
        else:
            self.answer(int(how))


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
with open(os.path.join(directory, "port.new"), "w", encoding="ascii") as port:
    port.write(str(server.server_address[1]))
os.rename(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
server.serve_forever()
