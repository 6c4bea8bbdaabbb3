# SPDX-License-Identifier: GPL-2.0-or-later
#: stdout: ^right$
#: no-stderr: wrong
echo wrong
echo wrong >&2
exit 4
