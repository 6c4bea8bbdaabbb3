# SPDX-License-Identifier: GPL-2.0-or-later
#: exit: 3
#: stdout: ^one [0-9]+$
#: no-stdout: three
#: stderr: ^two$
#: check: grep -q one stdout && grep -q two stderr
#: host: echo from the host >host
#: setup: echo from setup >setup
cat host setup
echo one 1
echo two >&2
exit 3
