# SPDX-License-Identifier: GPL-2.0-or-later
# Runs in another guest than the case before it.
echo fine
