# SPDX-License-Identifier: GPL-2.0-or-later
# The load that a build server bears, from a client on the same machine. Prints a line for each figure: what, measured, bar.
#   bench.py PORT RELEASE SECONDS PID    PID: of the server; in the directory of run.sh's certificates; exit status 1 if a bar is missed
import concurrent.futures
import http.client
import json
import os
import random
import ssl
import statistics
import subprocess
import sys
import time

port, release = int(sys.argv[1]), sys.argv[2]
seconds, server = float(sys.argv[3]), int(sys.argv[4])
here = os.path.dirname(os.path.abspath(__file__))
context = ssl.create_default_context(cafile="ca.pem")
context.load_cert_chain("tracer.pem", "tracer.key")
missed = 0


def connection():
    return http.client.HTTPSConnection("localhost", port, context=context, timeout=120)


def ask(there, script):
    """One request over a connection that stays open; whether the result was there already."""
    there.request("POST", "/v1/modules", json.dumps({"script": script, "kernel": {"release": release}}))
    answer = there.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise RuntimeError(f"status {answer.status}: {body[:500]!r}")
    return json.loads(body)["cached"]


def new_script():
    return f'probe begin {{ println("{random.getrandbits(64):x}") exit() }}'


def median_ms(times, script):
    """Of requests one after the other, each over a new connection."""
    taken = []
    for _ in range(times):
        text = script()
        start = time.monotonic()
        there = connection()
        ask(there, text)
        taken.append(time.monotonic() - start)
        there.close()
    return statistics.median(taken) * 1000


def rate(clients, script, each=None):
    """Requests per second of so many clients; each(there, text) asks."""
    end = time.monotonic() + seconds

    def work(_):
        done = 0
        there = connection()
        while time.monotonic() < end:
            (each or ask)(there, script())
            done += 1
        there.close()
        return done

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        total = sum(pool.map(work, range(clients)))
    return total / (time.monotonic() - start)


def alone(_, text):
    there = connection()
    ask(there, text)
    there.close()


def processor_ms(times, script):
    """Of the server itself, without sandboxes, for a request over a connection that stays open."""

    def used():
        with open(f"/proc/{server}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    there = connection()
    ask(there, script())
    before = used()
    for _ in range(times):
        ask(there, script())
    there.close()
    return (used() - before) / times


def show(what, value, unit, bar=None, least=False):
    global missed
    over = bar is not None and (value < bar if least else value > bar)
    missed += over
    limit = "" if bar is None else f"   {'at least' if least else 'at most'} {bar} {unit}{'   MISSED' if over else ''}"
    print(f"{what:60s} {value:8.1f} {unit}{limit}", flush=True)


def known_script():
    return known


known = new_script()
ask(connection(), known)
print(f"load of the machine before: {os.getloadavg()[0]:.1f}, processors: {os.cpu_count()}", flush=True)
show("new one-liner, connection included (median)", median_ms(15, new_script), "ms", 300)
show("found result, connection included (median)", median_ms(40, known_script), "ms", 50)
show("processor time of the server for a found result", processor_ms(300, known_script), "ms")
show("processor time of the server for a new module", processor_ms(30, new_script), "ms")
show("found results, 8 clients that stay connected", rate(8, known_script), "/s", 200, True)
show("found results, 8 clients that connect for each", rate(8, known_script, alone), "/s")
show("new modules, 4 clients", rate(4, new_script), "/s", 20, True)
slow = subprocess.Popen([sys.executable, f"{here}/slow_clients.py", str(port), "1000", "600"], stdout=subprocess.PIPE)
slow.stdout.readline()
show("new one-liner beside 1,000 slow or broken clients (median)", median_ms(15, new_script), "ms", 300)
show("found result beside them (median)", median_ms(40, known_script), "ms", 50)
slow.terminate()
slow.wait()
sys.exit(1 if missed else 0)
