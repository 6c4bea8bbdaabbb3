# SPDX-License-Identifier: GPL-2.0-or-later
"""Random types of C and C++, and statements that fill a variable of one with values that are the same in every run."""

INTEGERS = ["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long", "unsigned long", "long long", "char"]
BITS = {"char": 8, "short": 16, "int": 32, "long": 64}
EDGES = [0, 1, 2, 7, 127, 128, 255, 32767, 32768, 65535, 2147483647, 1 << 31, (1 << 32) - 1]


class Type:
    """`kind` is one of integer, bool, float, enum, record, union, array, pointer."""

    def __init__(self, kind, name, **more):
        self.kind, self.name = kind, name
        self.members = more.get("members", [])  # (name or "" if anonymous, Type, bits or 0)
        self.element, self.count = more.get("element"), more.get("count", 0)
        self.bases = more.get("bases", [])
        self.plain = more.get("plain", True)  # C can make it with = { 0 }; false with virtual functions or bases
        self.enumerators = more.get("enumerators", [])

    def declare(self, name):
        if self.kind == "array":
            return self.element.declare("%s[%d]" % (name, self.count))
        if self.kind == "pointer":
            inner = "*" + name
            return self.element.declare("(%s)" % inner if self.element.kind == "array" else inner)
        return self.name + " " + name

    def spelled(self):
        """Without a name, for casts."""
        return self.element.spelled() + " *" if self.kind == "pointer" else self.name

    def all_members(self):
        """(path, Type, bits), those of anonymous members and what is not hidden of base classes included."""
        own = {name for name, _, _ in self.members}
        found = [member for base in self.bases for member in base.all_members() if member[0] not in own]
        for name, kind, bits in self.members:
            found += [(name, kind, bits)] if name else kind.all_members()
        return found


def bits_of(name):
    return 64 if "long" in name else BITS[[word for word in BITS if word in name][0]]


class Types:
    """Makes types. `text` is their declarations, `records` those that have members."""

    def __init__(self, dice, cxx):
        self.dice, self.cxx = dice, cxx
        self.text, self.records, self.enums = [], [], []
        self.names = 0
        self.methods = []  # (class, name) of member functions without parameters
        self.statics = []  # "Class::name" of static members

    def fresh(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    def integer(self):
        return Type("integer", self.dice.choice(INTEGERS))

    def enumeration(self):
        dice = self.dice
        name = self.fresh("E")
        values = sorted(dice.sample([0, 1, 2, 5, 9, 100, 250], dice.randint(2, 4)))
        scoped = ""
        under = ""
        if self.cxx and dice.random() < 0.5:
            scoped, under = dice.choice(["", "class "]), dice.choice([" : unsigned char", " : short", " : long", ""])
        if not under and dice.random() < 0.4:
            values[0] = -5
        enumerators = ["%s_%d" % (name, i) for i in range(len(values))]
        self.text.append("enum %s%s%s { %s };" % (scoped, name, under, ", ".join("%s = %d" % pair for pair in zip(enumerators, values))))
        made = Type("enum", "enum " + name if not self.cxx else name,
                    enumerators=[name + "::" + one if scoped else one for one in enumerators])
        self.enums.append(made)
        return made

    def scalar(self):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.6:
            return self.integer()
        if kind < 0.68:
            return Type("bool", "bool" if self.cxx else "_Bool")
        if kind < 0.82:
            return dice.choice(self.enums) if self.enums and dice.random() < 0.7 else self.enumeration()
        if kind < 0.92:
            return Type("float", dice.choice(["double", "double", "float"]))
        return self.pointer()

    def pointer(self):
        dice = self.dice
        if self.records and dice.random() < 0.75:
            return Type("pointer", "", element=dice.choice(self.records))
        return Type("pointer", "", element=Type("integer", dice.choice(["int", "short", "unsigned char", "long"])))

    def member_type(self):
        dice, kind = self.dice, self.dice.random()
        if kind < 0.55:
            return self.scalar()
        if kind < 0.7:
            return Type("array", "", element=self.scalar(), count=dice.randint(1, 6))
        if kind < 0.74:
            return Type("array", "", element=Type("array", "", element=self.integer(), count=dice.randint(2, 3)), count=dice.randint(2, 3))
        nested = [record for record in self.records if record.plain]
        if nested and kind < 0.85:
            chosen = dice.choice(nested)
            return Type("array", "", element=chosen, count=2) if dice.random() < 0.2 else chosen
        return self.pointer()

    def member_lines(self, most, indent="    "):
        """([members], [lines])"""
        dice, members, lines = self.dice, [], []
        for _ in range(dice.randint(1, most)):
            name, kind = self.fresh("m"), dice.random()
            if kind < 0.25:
                for _ in range(dice.randint(1, 3)):
                    field = self.integer()
                    bits = dice.randint(1, bits_of(field.name))
                    members.append((name, field, bits))
                    lines.append("%s%s %s : %d;" % (indent, field.name, name, bits))
                    name = self.fresh("m")
                if dice.random() < 0.2:
                    lines.append(indent + "int : 0;")
                continue
            if kind < 0.33 and indent == "    ":
                word = dice.choice(["struct", "union"])
                inside, text = self.member_lines(3, indent + "    ")
                named = dice.random() < 0.5
                members.append((name if named else "", Type("record" if word == "struct" else "union", "", members=inside), 0))
                lines += [indent + word + " {", *text, indent + "}" + (" " + name if named else "") + ";"]
                continue
            member = self.member_type()
            members.append((name, member, 0))
            lines.append("%s%s;" % (indent, member.declare(name)))
        return members, lines

    def record(self):
        dice = self.dice
        union = dice.random() < 0.15
        name = self.fresh("U" if union else "S")
        members, lines = self.member_lines(4 if union else 7)
        packed = " __attribute__((packed))" if dice.random() < 0.12 else ""
        # A structure that points to its own kind.
        own = self.fresh("next") if not union and dice.random() < 0.3 else ""
        if own:
            lines.append("    struct %s *%s;" % (name, own))
        made = Type("union" if union else "record", ("union " if union else "struct ") + name, members=members)
        if own:
            members.append((own, Type("pointer", "", element=made), 0))
        self.text += ["%s%s %s {" % ("union" if union else "struct", packed, name), *lines, "};"]
        self.records.append(made)
        return made

    def class_with_bases(self):
        """C++: of several bases, some virtual; with functions, some virtual; with a static member."""
        dice, name = self.dice, self.fresh("C")
        bases = [record for record in self.records if record.kind == "record" and not record.name.startswith("struct Box")]
        inherited = []
        for base in dice.sample(bases, min(len(bases), dice.choice([0, 1, 1, 2, 2]))):
            # A base that is reached along two ways makes its members ambiguous.
            if not ancestors(base) & {one for taken, _ in inherited for one in ancestors(taken)}:
                inherited.append((base, "virtual " if dice.random() < 0.35 else ""))
        members, lines = self.member_lines(4)
        if inherited and dice.random() < 0.3:
            # A member that hides one of a base.
            hidden = [path for path, _, _ in inherited[0][0].all_members()]
            if hidden:
                members.append((hidden[0], Type("integer", "int"), 0))
                lines.append("    int %s;" % hidden[0])
        static, method = self.fresh("count"), self.fresh("get")
        word = dice.choice(["", "", "virtual "])
        virtual = bool(word) or any(how or not base.plain for base, how in inherited)
        self.text += ["struct %s%s {" % (name, " : " + ", ".join(how + base.name.split()[-1] for base, how in inherited) if inherited else ""),
                      *lines,
                      "    static int %s;" % static, "    %s__attribute__((noinline)) long %s(int by);" % (word, method),
                      *(["    virtual ~%s() = default;" % name] if word else []), "};"]
        made = Type("record", "struct " + name, members=members, bases=[base for base, _ in inherited], plain=not virtual)
        self.statics.append(name + "::" + static)
        self.methods.append((made, method, static))
        self.records.append(made)
        return made

    def template(self):
        dice, name = self.dice, self.fresh("Box")
        self.text += ["template <class T, int N> struct %s {" % name, "    T items[N];", "    short used;", "    T *first;",
                      "    T at(int i) const { return items[i % N]; }", "};"]
        for element in [self.integer(), Type("float", "double"), *dice.sample([r for r in self.records if r.plain and not r.bases] or
                                                                                [self.integer()], 1)]:
            if dice.random() < 0.6:
                count = dice.randint(1, 4)
                members = [("items", Type("array", "", element=element, count=count), 0), ("used", Type("integer", "short"), 0),
                           ("first", Type("pointer", "", element=element), 0)]
                self.records.append(Type("record", "struct %s<%s, %d>" % (name, element.name, count), members=members))

    def make(self):
        for _ in range(2):
            self.enumeration()
        for _ in range(self.dice.randint(3, 5)):
            self.record()
        if self.cxx:
            for _ in range(self.dice.randint(2, 4)):
                self.class_with_bases()
            self.template()


def ancestors(record):
    found = {record.name}
    for base in record.bases:
        found |= ancestors(base)
    return found


class Filler:
    """Statements that give every part of a variable a value. `targets`: {spelling of a type: expressions of addresses of it}."""

    def __init__(self, dice, targets):
        self.dice, self.targets = dice, targets

    def integer(self):
        dice = self.dice
        value = dice.choice([dice.choice(EDGES), dice.randrange(1 << 15), dice.getrandbits(60)])
        value = -value if dice.random() < 0.4 else value
        return "(%dL%s)" % (value, dice.choice(["", "", " + salt"]))

    def address(self, element):
        if self.dice.random() < 0.06:
            return "(%s *)0" % element.spelled()
        known = self.targets.get(element.spelled())
        return self.dice.choice(known) if known else "(%s *)0" % element.spelled()

    def value(self, kind):
        dice = self.dice
        if kind.kind == "integer":
            return "(%s)%s" % (kind.name, self.integer())
        if kind.kind == "bool":
            return dice.choice(["1", "0", "(salt & 1) != 0"])
        if kind.kind == "float":
            return "(%s)(%d.375%s)" % (kind.name, dice.randrange(-1000, 1000), dice.choice(["", " * salt"]))
        if kind.kind == "enum":
            return dice.choice(kind.enumerators)
        return self.address(kind.element)

    def lines(self, place, kind, depth=0):
        if kind.kind in ("integer", "bool", "float", "enum", "pointer"):
            return ["%s = %s;" % (place, self.value(kind))]
        if kind.kind == "array":
            some = sorted({0, kind.count - 1, self.dice.randrange(kind.count)}) if kind.count > 3 or depth else range(kind.count)
            return [line for i in some for line in self.lines("%s[%d]" % (place, i), kind.element, depth + 1)]
        members = kind.members
        if kind.kind == "union":
            members = [self.dice.choice(members)]
        found = []
        for base in kind.bases:
            found += self.lines("static_cast<%s &>(%s)" % (base.name, place), base, depth + 1)
        for name, member, _ in members:
            found += self.lines(place + "." + name if name else place, member, depth + 1)
        return found
