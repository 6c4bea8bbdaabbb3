# SPDX-License-Identifier: GPL-2.0-or-later
# Compared with b_exact.out.
printf 'first\nother\n'
