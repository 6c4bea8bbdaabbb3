# SPDX-License-Identifier: GPL-2.0-or-later
#: timeout: 8
echo started
sleep 100
