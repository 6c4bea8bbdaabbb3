# SPDX-License-Identifier: GPL-2.0-or-later
# The files that JSON and Prometheus metrics are read from.
#: scripts: _metrics.stp
"$STAPRUN" _metrics.ko >out 2>err &
pid=$!
eventually 20 test -e /proc/systemtap/_metrics/command
cd /proc/systemtap/_metrics
cat metadata.json >"$W/metadata"
cat data.json >"$W/data"
cat data.json >"$W/again"
cat __prometheus >"$W/prometheus"
echo twice >command
cat data.json >"$W/twice"
echo quit >command
cd "$W"
wait $pid
is_equal 'metadata' "$(cat metadata)" '{
  "prefix": "test\"ed",
  "metrics": [
    {
      "name": "reads",
      "pointer": "/reads",
      "description": "how many\u000areads",
      "units": "count",
      "type": "integer"
    },
    {
      "name": "who",
      "pointer": "/who",
      "type": "string"
    },
    {
      "name": "by_name",
      "pointer": "/by_name",
      "description": "of each program",
      "index": "/__id",
      "metrics": [
        {
          "name": "n",
          "pointer": "/n",
          "description": "reads",
          "units": "count",
          "type": "integer"
        },
        {
          "name": "path",
          "pointer": "/path",
          "type": "string"
        }
      ],
      "type": "array"
    }
  ]
}'
is_equal 'data' "$(cat data)" '{
  "reads": 1,
  "by_name": [
    {
      "__id": "cat",
      "n": -4,
      "path": "/bin/\"cat\"\\"
    },
    {
      "__id": "dd",
      "n": 5
    }
  ],
  "who": "cat\u0009"
}'
is_equal 'data again' "$(cat again)" "$(sed 's/"reads": 1/"reads": 2/' data)"
is_equal 'prometheus' "$(cat prometheus)" 'hits{name="a\\b\"c\nd",n="1"} 5
hits{name="",n="-2"} 6
times{who="x"} -1
names{n=<7>} "seven"'
is_equal 'data with a mistake' "$(cat twice)" "$(sed 's/"reads": 1/"reads": 3/' data)"
is_equal 'output' "$(cat out)" "JSON metric 'n' is there already in array 'by_name'
JSON metric 'who' is there already
ready
JSON metric 'reads' is written twice"
is_equal 'errors' "$(cat err)" ''
