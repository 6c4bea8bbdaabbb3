#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# paths.sh SOURCE: devel/check-paths finds paths that are not in the tree, and takes nothing else for one. Test Anything Protocol.
set -u
. "$1/testsuite/tree/lib.sh" "$1" check-paths || exit 2

file kmod/compat/tasks.h <<<'/* See kmod/compat/tasks.h, compat/tasks.h, tasks.h, kmod/compat/ and kmod/kind_NAME.c. */'
file translator/base/help.h <<'END'
// Another file: base/help.h. Not a path: fs/open.c, a.c.b, x->list.h, <none.h>, "vfs_read@none.c", Node.js, kmod/*.c, arch/x86/kernel/none.c
const char *text = "// none.c and kmod/none.c"; /* tests/none.c */
END
file testsuite/none.h <<<'// kmod/gone.c'
file docs/a.md <<'END'
`kmod/compat/`, `base/help.h`, `tasks.h`, `a.md`, `/usr/none.h`, `kmod/kind_NAME.c`, `kmod/<x>.c`, `kmod/...`, `script.stp`, kmod/none.c,
`kmod/none.c is text`, `build/bin/stap`, `sys/sdt.h`
```
`kmod/none.c`
```
END
run
expect 'paths that are there, and what is none' 'status 0'

file kmod/compat/tasks.h <<<$'/*\n * See kmod/gone.c, base/gone.h, gone.h\n * and kmod/old/. */ // runtime.cc\n'
file kmod/x.c <<<'int a; // (kmod/gone.def).'
cat >README.md <<<$'x\n`kmod/gone/` and `kmod/gone.sh` `gone.c`'
file docs/a.md <<<$'```\nx\n```\n`docs/b.md` `compat/tasks.h` `testsuite/gone`'
run
expect 'paths that are gone' 'README.md:2: there is no kmod/gone/
README.md:2: there is no kmod/gone.sh
README.md:2: there is no gone.c
docs/a.md:4: there is no docs/b.md
docs/a.md:4: there is no testsuite/gone
kmod/compat/tasks.h:2: there is no kmod/gone.c
kmod/compat/tasks.h:2: there is no base/gone.h
kmod/compat/tasks.h:2: there is no gone.h
kmod/compat/tasks.h:3: there is no kmod/old/
kmod/compat/tasks.h:3: there is no runtime.cc
kmod/x.c:1: there is no kmod/gone.def
status 1'

echo "1..$number"
[ "$failed" = 0 ]
