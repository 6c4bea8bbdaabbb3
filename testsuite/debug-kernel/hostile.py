#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts that ask for as much as scripts may: large strings and arrays, deep recursion, bad addresses, conditions that flap,
returns with few or many instances, modules that come and go, floods of output.

    hostile.py DIRECTORY COUNT SEED

Writes DIRECTORY/hostileN.stp and hostileN.options, one option a line."""
import random
import sys

FUNCTIONS = ["vfs_read", "vfs_write", "vfs_open", "kfree", "do_sys_openat2", "wake_up_process", "hrtimer_nanosleep", "kmem_cache_free",
             "do_wp_page", "handle_mm_fault", "finish_task_switch*", "update_curr", "tick_sched_timer*"]
TRACEPOINTS = ["sched_switch", "sched_wakeup", "sys_enter", "kmalloc", "mm_page_alloc", "irq_handler_entry", "hrtimer_expire_entry"]


class Script:
    def __init__(self, seed, number):
        self.dice = random.Random("%d %d" % (seed, number))
        self.globals, self.functions, self.probes = {"n": "", "on": "", "text": ' = ""', "stat": ""}, [], []
        self.string = self.dice.choice([64, 512, 512, 4096, 16384, 65536])
        self.options = ["-DMAXSTRINGLEN=%d" % self.string, "-DMAXERRORS=1000000", "-DMAXSKIPPED=1000000"]
        if self.dice.random() < 0.3:
            self.options.append("-DMAXACTION=%d" % self.dice.choice([20, 100, 1000]))
        if self.dice.random() < 0.3:
            self.options.append("-DMAXMAPENTRIES=%d" % self.dice.choice([10, 5000, 300000]))
        if self.dice.random() < 0.2:
            self.options.append("-DMAXNESTING=%d" % self.dice.choice([3, 40, 2000]))

    def point(self):
        dice = self.dice
        kinds = [
            lambda: 'kernel.function("%s").call?' % dice.choice(FUNCTIONS),
            lambda: 'kernel.function("%s").return.maxactive(%d)?' % (dice.choice(FUNCTIONS), dice.choice([1, 2, 64, 2000])),
            lambda: 'kernel.function("%s").return?' % dice.choice(FUNCTIONS),
            lambda: 'kprobe.function("%s")?' % dice.choice(FUNCTIONS).rstrip("*"),
            lambda: 'kernel.trace("%s")?' % dice.choice(TRACEPOINTS),
            lambda: "timer.profile",
            lambda: "timer.ms(%d)" % dice.choice([1, 2, 7, 50]),
            lambda: "timer.us(%d)" % dice.choice([300, 1700]),
            lambda: "syscall.%s?" % dice.choice(["read", "openat", "mmap*", "*"]),
            lambda: "syscall.%s.return?" % dice.choice(["read", "openat", "clone*"]),
            lambda: "process.%s" % dice.choice(["begin", "end", "thread.begin", "syscall"]),
            lambda: 'process("/bin/bash").function("*")?',
            lambda: 'process("/lib/x86_64-linux-gnu/libc.so.6").function("%s").return?' % dice.choice(["malloc", "read", "*alloc"]),
            lambda: 'module("%s").function("*").call?' % dice.choice(["dummy", "crc7", "loop"]),
            lambda: 'module("dummy").function("*").return?',
        ]
        return dice.choice(kinds)()

    def array(self, keys, value):
        name = "%s%d%s" % (keys, len(self.globals), value)
        self.globals[name] = self.dice.choice(["", "", "[%d]" % self.dice.choice([1, 100, 70000]), "%%[%d]" % self.dice.choice([3, 999])])
        return name

    def work(self):
        """Statements; `name` of what they use is declared on the way."""
        dice, number = self.dice, self.dice.randrange(1, 2000)
        choice = dice.randrange(15)
        if choice == 0:
            return 'text = text . execname() . sprintf("%%%dd", n); if (strlen(text) > %d) text = ""' % (dice.choice([3, 200]), self.string - 20)
        if choice == 1:
            return 'for (i = 0; i < %d; i++) { text = str_replace(text . "ab", "a", "bba"); n += isinstr(text, "abb") }' % number
        if choice == 2:
            array = self.array("numbers", "")
            return "%s[n++ %% %d] = gettimeofday_ns(); if (n %% %d == 0) delete %s" % (array, dice.choice([100, 100000]), 1 + 50 * number, array)
        if choice == 3:
            array = self.array("strings", "")
            return ("%s[execname() . sprintf(\"%%d\", n++), cpu()] <<< n; if (n %% %d == 0) { foreach ([k, c] in %s- limit %d) "
                    "{ s += @count(%s[k, c]) }; if (s %% 3 == 0) delete %s }" % (array, number, array, dice.choice([1, 10, 5000]), array, array))
        if choice == 4:
            name = "deep%d" % len(self.functions)
            self.functions.append("function %s(n, s) { if (n <= 0) return strlen(s); return %s(n - 1, s . \"x\") + 1 }" % (name, name))
            return "n += %s(%d, execname())" % (name, dice.choice([2, 12, 40, 3000]))
        if choice == 5:
            return ("try { n += %s(%s) } catch (why) { text = why }" %
                    (dice.choice(["kernel_long", "kernel_int", "user_long", "user_char"]),
                     dice.choice(["0", "-1", "0x800000000000", "0xffff888000000000 + n * 4096", "0xffffffffff600000", "n * 0x123456789"])))
        if choice == 6:
            return "try { text = user_string(%s) } catch { }" % dice.choice(["n", "0x7ffffffff000", "0xffffffff81000000", "-4096"])
        if choice == 7:
            return "text = %s" % dice.choice(["backtrace()", "ubacktrace()", "sprint_backtrace()", "sprint_ubacktrace()", "callers(-1)"])
        if choice == 8:
            return 'for (i = 0; i < %d; i++) printf("%%d %%s %%%ds\\n", n++, text, execname())' % (dice.choice([1, 20, 800]), dice.choice([1, 500]))
        if choice == 9:
            return "stat <<< n; if (n++ %% %d == 0) { n += @count(stat) ? @max(stat) : 0; text = sprintf(\"%%d\", @sum(stat)) }" % number
        if choice == 10:
            return "on = !on"
        if choice == 11:
            return 'token = tokenize(text, " ,x"); while (token != "") { n++; token = tokenize("", " ,x") }'
        if choice == 12:
            return "while (n < %d) n++; n = 0" % dice.choice([10, 9000, 1000000])
        if choice == 13:
            return "n += strtol(text, 16) + strlen(sprintf(\"%s\", cmdline_str())) + pid() + tid()"
        return "n++"

    def text(self):
        dice = self.dice
        for _ in range(dice.randrange(2, 7)):
            condition = " if (on)" if dice.random() < 0.3 else ""
            body = "\n    ".join(self.work() for _ in range(dice.randrange(1, 4)))
            self.probes.append("probe %s%s {\n    %s\n}" % (self.point(), condition, body))
        if any("if (on)" in probe for probe in self.probes):
            self.probes.append("probe timer.ms(%d) { on = !on }" % dice.choice([1, 3, 40]))
        if dice.random() < 0.3:
            self.probes.append('probe procfs("text").read { $value = text }\nprobe procfs("text").write { text = $value }')
        self.probes.append("probe end { %s }" % self.work())
        declared = "\n".join("global %s%s" % item for item in self.globals.items())
        return "\n".join([declared, *filter(None, self.functions), *self.probes]) + "\n"


def main():
    directory, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for number in range(count):
        script = Script(seed, number)
        with open("%s/hostile%d.stp" % (directory, number), "w") as file:
            file.write(script.text())
        with open("%s/hostile%d.options" % (directory, number), "w") as file:
            file.write("".join(option + "\n" for option in script.options))


main()
