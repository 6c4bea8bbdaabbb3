# SPDX-License-Identifier: GPL-2.0-or-later
# The program's own count, all its processes together: "WRITES SUM".
did() {
    awk '$1 == "did" { writes += $2; sum += $3 } END { print writes + 0, sum + 0 }' "$@"
}
