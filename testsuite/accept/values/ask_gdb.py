# SPDX-License-Identifier: GPL-2.0-or-later
"""Run by GDB, with a dictionary `task`: stops a program at random places, and writes down what GDB reads there.

A value is {"expr": as a script writes it, "value": hexadecimal digits, "P" and an address in the program as it was linked,
"A" for an address elsewhere, "absent" or "fault", "kind": "float", "pointer", "bit-field" or "integer", "where": the place in GDB's words}."""
import json
import random
import re
import struct

import gdb

MASK = (1 << 64) - 1
SCALAR = {gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM}
REFERENCES = {gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF}
RECORDS = {gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION}
DEPTH = 3
UNPROBED = re.compile(r"(data16 |rex\.?\w* )*(cs|ds|es|ss|lock|notrack)\b")  # prefixes that the kernel refuses to probe
GO_HEAP = range(0xc000000000, 0xc100000000)  # with the stacks of goroutines
STACK = range(0x7ff000000000, 0x800000000000)  # where the kernel puts it is not the same here and in a guest


def said(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error:
        return ""


class Asker:
    def __init__(self, given):
        self.task = given
        self.dice = random.Random(given["dice"])
        self.base = 0
        self.numbers = None  # of variables of the function at hand
        self.places = []  # {"kind", "pc", "nth", ...}
        self.answers = open(given["answers"], "w")

    # --- values

    def number(self, value, kind):
        """Text of a number."""
        low, high = self.base + self.task["low"], self.base + self.task["high"]
        if low <= value < high:
            return "P%x" % (value - self.base)
        return "A" if kind == "pointer" and value >= 1 << 16 or value in STACK or value in GO_HEAP else "%x" % value

    def leaf(self, kind, value):
        """(text, kind) of a value that a script can print; None if scripts have nothing like it."""
        code = kind.code
        if code in SCALAR and kind.sizeof <= 8:
            return self.number(int(value) & MASK, "integer"), "integer"
        if code in (gdb.TYPE_CODE_PTR, *REFERENCES):
            return self.number(int(value) & MASK, "pointer"), "pointer"
        if code == gdb.TYPE_CODE_FLT and kind.sizeof in (4, 8):
            form = "<fI" if kind.sizeof == 4 else "<dQ"
            return self.number(struct.unpack("<" + form[2], struct.pack(form[:2], float(value)))[0], "float"), "float"
        return None

    def explore(self, name, value, depth=0):
        """[(expression, text, kind)] of a value and some of what it consists of or points to."""
        try:
            return self.parts(name, value, depth)
        except gdb.error as error:
            if value.type.strip_typedefs().code in (*RECORDS, gdb.TYPE_CODE_ARRAY):
                return []  # a script asks for what is in it only
            text = str(error)
            if "optimized out" in text or "unavailable" in text:
                return [(name, "absent", "integer")]
            return [(name, "fault", "integer")] if isinstance(error, gdb.MemoryError) or "annot access memory" in text else []

    def parts(self, name, value, depth):
        kind = value.type.strip_typedefs()
        if value.is_optimized_out:
            return [(name, "absent", "integer")] if kind.code not in (*RECORDS, gdb.TYPE_CODE_ARRAY) else []
        if kind.code in REFERENCES:
            if depth and value.address is None:
                return []  # GDB breaks down when the structure is in pieces
            return self.explore(name, value.referenced_value(), depth)
        if kind.code in RECORDS:
            return self.members(name, value, kind, depth) if depth < DEPTH else []
        if kind.code == gdb.TYPE_CODE_ARRAY:
            low, high = kind.range()
            if depth >= DEPTH or high < low or high - low > 10000:
                return []
            chosen = {self.dice.randint(low, high) for _ in range(2)}
            return [part for i in sorted(chosen) for part in self.explore("%s[%d]" % (name, i), value[i], depth + 1)]
        found = self.leaf(kind, value)
        if not found:
            return []
        parts = [(name, *found)]
        if kind.code == gdb.TYPE_CODE_PTR and depth < DEPTH - 1 and int(value):
            target = kind.target().strip_typedefs()
            try:
                if target.code in RECORDS:
                    parts += self.members(name, value.dereference(), target, depth + 1)
                elif target.code in SCALAR:
                    parts += self.explore(name + "[0]", value.dereference(), depth + 1)
            except gdb.error:
                pass  # of virtual bases of what is no object, for example
        return parts

    def members(self, name, value, kind, depth, hidden=()):
        """Some members; those of base classes too, unless a member of the class hides them."""
        fields = [field for field in kind.fields() if not field.artificial and hasattr(field, "bitpos") or field.is_base_class]
        own = {field.name for field in fields if field.name and not field.is_base_class} | set(hidden)
        plain = [field for field in fields if not field.is_base_class and (not field.name or re.match(r"\w+$", field.name))]
        plain = [field for field in plain if field.name not in hidden]
        found = []
        for field in self.dice.sample(plain, min(3, len(plain))):
            if field.name:
                parts = self.explore(name + "->" + field.name, value[field], depth + 1)
                found += [(expr, text, "bit-field" if field.bitsize else what) for expr, text, what in parts]
            else:
                inner = field.type.strip_typedefs()
                found += self.members(name, value[field], inner, depth, hidden) if inner.code in RECORDS else []
        for field in fields:
            if field.is_base_class and depth < DEPTH:
                found += self.members(name, value[field], field.type.strip_typedefs(), depth, own)
        return found

    # --- variables of a place

    def location(self, pc, name):
        try:
            text = gdb.execute("info address " + name, to_string=True)
        except gdb.error as error:
            return "not initialized" if "[uninitialized]" in said("print " + name) else "GDB cannot show it: %s" % error
        if text and "multi-location" not in text:
            return "everywhere: " + " ".join(text.split())
        for low, high, place in re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*?)(?=\n\s*Range 0x|\Z)", text, re.S):
            if int(low, 16) <= pc < int(high, 16):
                return " ".join(place.split())
        return "nowhere here" if text else ""

    def variables(self, frame, parameters_only=False):
        """Of the function and the blocks around the place; [(name, value or None, where, is it a parameter)]."""
        found, seen = [], set()
        try:
            block = frame.block()
        except RuntimeError:  # no debug information is about this code
            block = None
        while block is not None:
            names = [symbol.name for symbol in block]
            if len(set(names)) < len(names):  # GDB has put variables of blocks without code into this one
                seen.update(names)
            for symbol in block:
                is_one = symbol.is_argument or symbol.is_variable or symbol.is_constant
                if symbol.name in seen or not is_one or not self.is_own(symbol.name) or not re.match(r"\w+$", symbol.name):
                    continue
                seen.add(symbol.name)
                if not symbol.is_argument and self.of_go(frame) and symbol.line >= frame.find_sal().line:
                    continue  # not declared yet: it shows what was on the goroutine's stack
                if parameters_only and not symbol.is_argument:
                    continue
                where = self.location(frame.pc(), symbol.name)
                if where.endswith("is optimized out.") and self.is_shadow(block, symbol.name):
                    continue
                try:
                    value = symbol.value(frame)
                except gdb.error:
                    value = None
                if value is not None and self.is_address(frame, symbol, value, where):
                    pointer = value.type.pointer().pointer()
                    value = value.address.reinterpret_cast(pointer).dereference().dereference()
                found.append((symbol.name, value, where, symbol.is_argument))
            if block.function:
                break
            block = block.superblock
        return found

    @staticmethod
    def of_go(frame):
        symtab = frame.find_sal().symtab
        return symtab is not None and symtab.filename.endswith(".go")

    @staticmethod
    def is_address(frame, symbol, value, where):
        """LLVM describes the address of a large value that Rust passes on the stack as the value itself, which GDB believes. What
        programs pass is compared by accept/parameters.py."""
        symtab = frame.find_sal().symtab
        return symbol.is_argument and symtab is not None and symtab.filename.endswith(".rs") and value.type.sizeof > 16 and \
            value.type.strip_typedefs().code in (*RECORDS, gdb.TYPE_CODE_ARRAY) and \
            re.match(r"everywhere: .* frame base reg \$rsp offset 0\+[1-9]", where)

    def is_own(self, name):
        """Where an inlined function is about to begin, GDB shows its variables as the caller's."""
        number = re.match(r"[vpi](\d+)(_n)?$", name)
        return not self.numbers or not number or self.numbers[0] <= int(number.group(1)) <= self.numbers[1]

    @staticmethod
    def is_shadow(block, name):
        """Is there another one around the block? GDB then may show one of a block that has no code."""
        while not block.function and block.superblock is not None:
            block = block.superblock
            if any(symbol.name == name for symbol in block):
                return True
        return False

    def values(self, frame, unstored, parameters_only=False):
        """What always is at one place in memory may not be there yet: "nothing" of it, or no "parameters"."""
        found = []
        for name, value, where, is_argument in self.variables(frame, parameters_only):
            if where.startswith("everywhere") and "static storage" not in where and "is constant" not in where:
                if unstored == "nothing" or unstored == "parameters" and is_argument:
                    continue
            pieces = [int(size) for size in re.findall(r"\[(\d+)-byte piece\]", where)]
            if pieces and value is not None and sum(pieces) != value.type.sizeof and self.of_go(frame):
                continue  # Go leaves out what is between members, GDB takes them as if nothing were
            parts = [("$" + name, "absent", "integer")] if value is None else self.explore("$" + name, value)
            if where == "not initialized" or "GNU_uninit" in where:
                parts = [(expr, "absent", kind) for expr, _, kind in parts]
            # Takes at most four parts, so that a large structure counts as much as a number.
            parts = self.dice.sample(parts, min(4, len(parts)))
            found += [{"expr": expr, "value": text, "kind": kind, "where": where} for expr, text, kind in parts]
        return found

    def outside(self):
        found = []
        for theirs, expr in self.dice.sample(self.task["outside"], min(2, len(self.task["outside"]))):
            try:
                value = gdb.parse_and_eval(theirs)
            except gdb.error:
                continue  # removed by the compiler, or thread-local without GDB's help for threads
            parts = self.explore(expr, value)
            if self.task["whole"]:  # GDB does not find what the linker's compiler has moved to another unit
                parts = [part for part in parts if part[1] != "absent"]
            parts = self.dice.sample(parts, min(2, len(parts)))
            where = "outside functions: " + " ".join(said("info address " + theirs).split())
            found += [{"expr": part, "value": text, "kind": kind, "where": where} for part, text, kind in parts]
        return found

    # --- places

    def function_of(self, pc):
        """The block of the innermost function, inlined or not."""
        block = gdb.block_for_pc(pc)
        while block is not None and not block.function:
            block = block.superblock
        return block

    def lines(self, low, high, name):
        """Lines of a function with code that is only in it."""
        whole = self.function_of(low)
        if not whole or whole.start != low:
            return []
        file = whole.function.symtab.filename.split("/")[-1]
        found = []
        for line, linked in sorted(self.task["lines"].get(file, [])):
            addresses = [self.base + pc for pc in linked]
            blocks = [self.function_of(pc) for pc in addresses]
            if min(addresses) >= low and max(addresses) < high and all(block and block.start == whole.start for block in blocks):
                if min(addresses) != low:
                    # Go's names of functions have their package's.
                    name = "main." + name if file.endswith(".go") and not name.startswith("main.") else name
                    found.append({"kind": "line", "pc": min(addresses), "point": "%s@%s:%d" % (name, file, line)})
        return found

    def pick(self):
        """Places in all functions of the task: instructions, lines, entries."""
        architecture = gdb.selected_inferior().architecture()
        functions = [(low + self.base, size, name.split()[0], unique) for low, size, name, unique in self.task["functions"]]
        entries, lines, instructions = [], [], []
        for low, size, name, unique in functions:
            code = architecture.disassemble(low, low + size - 1)
            addresses = [one["addr"] for one in code if not UNPROBED.match(one["asm"])]
            # Whether a goroutine's stack grows is not the same here and in a guest.
            grow = [int(target, 16) for one in code[:8] for target in re.findall(r"^jbe? +0x([0-9a-f]+)", one["asm"])]
            if any("runtime.morestack" in one["asm"] for one in code):
                addresses = [pc for pc in addresses if pc < min(grow, default=low + size)]
            instructions += [{"kind": "instruction", "pc": pc, "low": low, "name": name} for pc in addresses if pc > low]
            entries.append({"kind": "entry", "pc": low, "low": low, "name": name})
            if unique:
                lines += [dict(place, low=low, name=name) for place in self.lines(low, low + size, name)]
        count, dice = self.task["places"], self.dice
        self.places = dice.sample(entries, min(len(entries), count // 5 + 1))
        self.places += dice.sample(lines, min(len(lines), count // 3 + 1))
        self.places += dice.sample(instructions, min(len(instructions), max(count - len(self.places), 0)))
        taken = set()
        for place in self.places[:]:
            if place["pc"] in taken:
                self.places.remove(place)
            taken.add(place["pc"])
            # For GDB a function of Go is entered twice if its stack grows.
            place["nth"] = dice.choice([1, 1, 1, 2, 3]) if not self.task["go"] else 1

    def after_prologue(self, low):
        try:
            sals = gdb.decode_line("*0x%x" % low)[1]
            name = gdb.block_for_pc(low).function
            sals = gdb.decode_line(name.linkage_name if name else "")[1] if name else sals
        except (gdb.error, AttributeError):
            sals = []
        blocks = [(sal.pc, self.function_of(sal.pc)) for sal in sals or () if low < sal.pc < low + 400]
        return min((pc for pc, block in blocks if block and block.start == low), default=low)

    def stop(self, place):
        frame = gdb.newest_frame()
        while frame is not None and frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        frame.select()
        self.numbers = self.task["owners"].get(place["name"])
        name = frame.function().name if frame.function() else "?"
        body = self.after_prologue(place["low"])
        # Whether they are there already is nothing that GDB knows.
        values = self.values(frame, "nothing" if place["pc"] == place["low"] else "parameters" if place["pc"] < body else "")
        values += self.outside() if self.dice.random() < 0.4 else []
        if place["kind"] == "entry" and body > place["pc"]:
            known = {one["expr"].split("->")[0].split("[")[0] for one in values}
            said("tbreak *0x%x" % body)
            said("continue")
            if gdb.selected_inferior().pid and gdb.newest_frame().pc() == body:
                gdb.newest_frame().select()
                values += [one for one in self.values(gdb.newest_frame(), "", True)
                           if one["where"].startswith("everywhere") and one["expr"].split("->")[0].split("[")[0] not in known]
        chosen = self.dice.sample(values, min(len(values), 6))
        stop = dict(place, pc=place["pc"] - self.base, low=place["low"] - self.base, function=name, values=chosen)
        self.answers.write(json.dumps(stop) + "\n")
        self.answers.flush()  # GDB may break down at the next stop

    def run(self):
        for setting in ("pagination off", "print entry-values no", "print symbol off", "confirm off", "width 0", "print object off",
                        "debuginfod enabled off", "breakpoint pending off",
                        "print frame-arguments none", "print frame-info short-location"):
            said("set " + setting)
        for what in ("quit yes", "corefile no", "backtrace off"):
            said("maint set internal-error " + what)
        # Variables that have no value yet show what was on the stack.
        said("unset environment")
        said("set environment " + self.task["environment"].replace("=", " "))
        said("set startup-with-shell off")
        said("starti")
        entry = re.search(r"AT_ENTRY\s.*?(0x[0-9a-f]+)", said("info auxv"))
        self.base = int(entry.group(1), 16) - self.task["entry"]
        self.pick()
        waiting = {}
        for place in self.places:
            point = gdb.Breakpoint("*0x%x" % place["pc"], internal=True)
            point.ignore_count = place["nth"] - 1
            waiting[place["pc"]] = (place, point)
        said("continue")
        while gdb.selected_inferior().pid:
            pc = gdb.newest_frame().pc()
            place, point = waiting.get(pc, (None, None))
            if place and point.hit_count >= place["nth"]:
                del waiting[pc]
                point.enabled = False
                self.stop(place)
                # Another stop may be where the entry's prologue has ended.
                if gdb.selected_inferior().pid and gdb.newest_frame().pc() != pc and gdb.newest_frame().pc() in waiting:
                    continue
            said("continue")


Asker(task).run()
