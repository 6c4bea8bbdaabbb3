# SPDX-License-Identifier: GPL-2.0-or-later
#: requires: program no-such-program
echo never
