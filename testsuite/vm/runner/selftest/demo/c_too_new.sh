# SPDX-License-Identifier: GPL-2.0-or-later
#: requires: kernel 99.1
echo never
