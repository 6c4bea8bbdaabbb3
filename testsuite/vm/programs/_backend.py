# SPDX-License-Identifier: GPL-2.0-or-later
"""_backend.py PORT: an HTTP server. /slow takes 0.7 s, /fails has status 503."""
import http.server
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/slow":
            time.sleep(0.7)
        text = b"hello\n"
        self.send_response(503 if self.path == "/fails" else 200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *words):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
