#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints by how much time limits are multiplied on this machine now: 2 where a process starts within a millisecond and a half, more where
# that takes longer, 8 at most. Every wait of the tests is for a condition; this only says when to give up.
# TAPIR_PATIENCE in the environment is what ./check has measured at its start; it is printed unchanged.
set -u
if [ -n "${TAPIR_PATIENCE:-}" ]; then
    echo "$TAPIR_PATIENCE"
    exit
fi
starts=50
begun=$(date +%s%N)
for ((i = 0; i < starts; i++)); do /bin/true; done
each=$((($(date +%s%N) - begun) / starts / 1000))
patience=$((2 * ((each + 1499) / 1500)))
echo $((patience < 2 ? 2 : patience > 8 ? 8 : patience))
