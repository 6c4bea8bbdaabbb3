# SPDX-License-Identifier: GPL-2.0-or-later
"""_busy.py DATABASE MODE TIMES: another process finds the database locked so often. Prints how often, and both processes."""
import os
import sqlite3
import subprocess
import sys

path, mode, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
if mode == "try":
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    refused = 0
    for _ in range(times):
        try:
            other.execute("begin immediate")
        except sqlite3.OperationalError as error:
            refused += str(error) == "database is locked"
    print(refused, os.getpid(), f"python3({os.getppid()})", flush=True)
else:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"pragma journal_mode={mode}")
    connection.execute("create table birds(name text)")
    connection.execute("begin immediate")
    connection.execute("insert into birds values('wren')")
    subprocess.run([sys.executable, __file__, path, "try", sys.argv[3]], check=True)
    connection.execute("commit")
