# SPDX-License-Identifier: GPL-2.0-or-later
#: check: false
echo text
