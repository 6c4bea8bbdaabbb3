# SPDX-License-Identifier: GPL-2.0-or-later
#: expect: crash
echo c >/proc/sysrq-trigger
sleep 60
