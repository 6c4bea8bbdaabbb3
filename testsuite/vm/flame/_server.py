# SPDX-License-Identifier: GPL-2.0-or-later
# A server of HTTP that makes JSON in threads, and its clients in the same process. It runs for so many seconds and says how many
# requests were answered. _server.py SECONDS
import http.client
import http.server
import json
import sys
import threading
import time


def find_birds(count):
    return sorted(({"name": "bird%d" % (i * 7919 % count), "eggs": i % 7} for i in range(count)), key=lambda bird: bird["name"])


class Birds(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        text = json.dumps(find_birds(200)).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *arguments):
        pass


def ask(port, until, answered):
    while time.monotonic() < until:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/")
        answered.append(len(connection.getresponse().read()))
        connection.close()


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Birds)
threading.Thread(target=server.serve_forever, daemon=True).start()
answered = []
until = time.monotonic() + int(sys.argv[1])
clients = [threading.Thread(target=ask, args=(server.server_port, until, answered)) for _ in range(3)]
for client in clients:
    client.start()
for client in clients:
    client.join()
server.shutdown()
print(len(answered), "requests")
