# SPDX-License-Identifier: GPL-2.0-or-later
# A guest with kernel parameters of its own.
#: append: demo.word=42
#: stdout: demo\.word=42
cat /proc/cmdline
