# SPDX-License-Identifier: GPL-2.0-or-later
# Tests mean the tree's tapset library. Other packages of the machine bring tapsets, too, and so does the user: these are not
# searched. Sourced by ./check and by what runs tests in shell.
export XDG_DATA_DIRS=/nonexistent XDG_DATA_HOME=/nonexistent
