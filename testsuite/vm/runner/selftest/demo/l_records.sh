# SPDX-License-Identifier: GPL-2.0-or-later
# With --records: a record that the schema does not know.
[ -z "${RECORDS:-}" ] || echo '{"v":1,"type":"odd","t":1}' >"$RECORDS/1.json"
