# SPDX-License-Identifier: GPL-2.0-or-later
echo last words
sleep 1
echo c >/proc/sysrq-trigger
sleep 60
