# SPDX-License-Identifier: GPL-2.0-or-later
#: host: echo why; exit 9
echo never
