# SPDX-License-Identifier: GPL-2.0-or-later
#: host: printf 'obj-m := _fixture.o\n' > Makefile && cp "$AREA/_fixture.c" . && "$AREA/../make-module.sh" "$TREE" "$PWD"
#: scripts: _values.stp
#: stap: -g
#: script-args: "$W/_fixture.ko"
#: timeout: 120
# Target variables against the compiler: a module tells its own values, before and after the script has changed some.
insmod ./_fixture.ko
cat /sys/module/_fixture/parameters/values > expected
"$STAPRUN" ./_values.ko > printed
cat >> expected <<'END'
--
{.x=1, .y=-1} 1 [5, 6, 7, 8]
[{.x=1, .y=-1}, {.x=2, .y=-2}, {.x=3, .y=-3}, {.x=4, .y=-4}, {.x=5, .y=-5}, ...]
5 FIXTURE_GREEN 3
ERROR "in place" "pointed at" NULL 'L' 1234
100
END
echo "read fault [man error::fault] at 0x20" >> expected
echo "--" >> expected
cat /sys/module/_fixture/parameters/values >> expected
rmmod _fixture
diff expected printed
