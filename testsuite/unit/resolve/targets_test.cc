// SPDX-License-Identifier: GPL-2.0-or-later
// The results for target variables and their kin: expressions over registers and memory.
#include "fake_scope.h"

namespace tapir::resolve {
namespace {

class Targets : public testing::Test, protected AtPlace {
  protected:
    Targets() {
        scope.parameter("p", scope.types.self_, FakeScope::in_register(5));
        scope.parameter("n", scope.types.int_, FakeScope::in_register(4));
        scope.local("here", scope.types.thing_, FakeScope::on_stack(16));
        scope.local("gone", scope.types.int_, ctypes::absent("it is optimized out here"));
    }
};

TEST_F(Targets, RegistersHoldTheLowBitsOfSmallTypes) {
    EXPECT_EQ("@kregister(5)", value("$p"));
    EXPECT_EQ("((@kregister(4) << 32) >> 32)", value("$n"));
    scope.parameter("u", scope.types.short_, FakeScope::in_register(1));
    EXPECT_EQ("((@kregister(1) << 48) >>> 48)", value("$u"));
}

TEST_F(Targets, MembersBySizeAndSign) {
    EXPECT_EQ("((@kderef(4, @kregister(5)) << 32) >> 32)", value("$p->number"));
    EXPECT_EQ("@kderef(2, (@kregister(5) + 4))", value("$p->small"));
    EXPECT_EQ("((@kderef(1, (@kregister(5) + 6)) << 56) >> 56)", value("$p->letter"));
    EXPECT_EQ("@kderef(1, (@kregister(5) + 7))", value("$p->byte"));
    EXPECT_EQ("@kderef(8, (@kderef(8, (@kderef(8, (@kregister(5) + 8)) + 8)) + 24))", value("$p->next->next->all"));
    EXPECT_EQ("((@kderef(4, (@kregister(5) + 28)) << 32) >> 32)", value("$p->tail"));
    EXPECT_EQ("@kderef(2, ((@kregister(7) + 16) + 4))", value("$here->small"));
}

TEST_F(Targets, BitFields) {
    EXPECT_EQ("((@kderef(1, (@kregister(5) + 16)) << 61) >>> 61)", value("$p->low"));
    EXPECT_EQ("((@kderef(1, (@kregister(5) + 16)) << 56) >> 59)", value("$p->mid"));
    EXPECT_EQ("a bit-field has no address: identifier '$p' at <input>:1:24", problem("&$p->low"));
}

TEST_F(Targets, ElementsOfArraysAndPointers) {
    EXPECT_EQ("(@kregister(5) + 32)", value("$p->name"));
    EXPECT_EQ("((@kderef(1, ((@kregister(5) + 32) + 2)) << 56) >> 56)", value("$p->name[2]"));
    EXPECT_EQ("((@kderef(4, (((@kregister(5) + 40) + 12) + (i * 4))) << 32) >> 32)", value("$p->table[1][i]"));
    EXPECT_EQ("(@kregister(5) + 64)", value("&$p[1]"));
    EXPECT_EQ("@kderef(2, ((@kregister(5) + 64) + 4))", value("$p[1]->small"));
    EXPECT_EQ("type 'int' is not an array or a pointer, so it has no elements: operator '[' at <input>:1:25",
              problem("$n[0]"));
}

TEST_F(Targets, Addresses) {
    EXPECT_EQ("(@kregister(5) + 8)", value("&$p->next"));
    EXPECT_EQ("(@kregister(7) + 16)", value("&$here"));
    EXPECT_EQ("it is not in memory here and has no address: identifier '$n' at <input>:1:24", problem("&$n"));
    EXPECT_EQ("&_stext", value("&@var(\"counter\")"));
    EXPECT_EQ("((@kderef(4, &_stext) << 32) >> 32)", value("@var(\"counter\")"));
}

TEST_F(Targets, Casts) {
    EXPECT_EQ("(+x)", value("@cast(x, \"thing\")"));
    EXPECT_EQ("@kderef(2, (x + 4))", value("@cast(x, \"struct thing\")->small"));
    EXPECT_EQ("@kderef(2, (x + 4))", value("@cast(x, \"struct thing *\")->small"));
    EXPECT_EQ("((@kderef(4, x) << 32) >> 32)", value("@cast(x, \"int\")[0]"));
    EXPECT_EQ("8", value("&@cast(0, \"thing\")->next"));
    EXPECT_EQ("@kderef(8, ((i++) + 24))", value("@cast(i++, \"thing\")->all"));
    scope.types.integer("long unsigned int", 8, Encoding::Unsigned);
    EXPECT_EQ("@kderef(8, (x + 8))", value("@cast(x, \"unsigned long\")[1]"));
    EXPECT_EQ("@kderef(8, (x + 8))", value("@cast(x, \"unsigned long *\")[1]"));
    EXPECT_EQ("type 'thang' not found: operator '@cast' at <input>:1:23", problem("@cast(x, \"thang\")->a"));
    EXPECT_EQ("type 'thing' not found in 'ext4': operator '@cast' at <input>:1:23",
              problem("@cast(x, \"thing\", \"ext4\")->a"));
}

TEST_F(Targets, WhatCannotBeRead) {
    EXPECT_EQ("'gone' cannot be read: it is optimized out here: identifier '$gone' at <input>:1:23", problem("$gone"));
    EXPECT_EQ(
        "'struct thing' is being accessed as a number instead of a member of it: identifier '$here' at <input>:1:23",
        problem("$here"));
    EXPECT_EQ(
        "'struct thing' is being accessed as a number instead of a member of it: operator '@cast' at <input>:1:23",
        problem("@cast(x, \"box\")->inside"));
    EXPECT_EQ("unable to find member 'nmber' for struct thing (alternatives: number): operator '->' at <input>:1:25",
              problem("$p->nmber"));
    EXPECT_EQ("'x' is asked of type 'int', which has no members: operator '->' at <input>:1:25", problem("$n->x"));
    scope.parameter("v", scope.types.void_pointer_, FakeScope::in_register(1));
    EXPECT_EQ("what a void pointer points to has no type; use @cast: operator '->' at <input>:1:25", problem("$v->x"));
    scope.parameter("f", scope.types.unseen_, FakeScope::in_register(1));
    EXPECT_EQ(
        "'struct unseen' is only declared here, its members are not known; @cast with another module may know them: "
        "operator '->' at <input>:1:25",
        problem("$f->x"));
    scope.local("w", scope.types.wide_, FakeScope::on_stack(0));
    EXPECT_EQ("a value of type 'long double' does not fit 64 bits: identifier '$w' at <input>:1:23", problem("$w"));
    EXPECT_EQ("$return is available only in .return probes: identifier '$return' at <input>:1:23", problem("$return"));
    EXPECT_EQ("@entry is available only in .return probes: operator '@entry' at <input>:1:23", problem("@entry($n)"));
    EXPECT_EQ("enumerator 'BLUE' not found: operator '@enum' at <input>:1:23", problem("@enum(\"BLUE\")"));
    EXPECT_EQ("enumeration 'colour' not found: operator '@enumname' at <input>:1:23",
              problem("@enumname(\"colour\", 1)"));
    EXPECT_EQ("$$parms is a text, which has no members, elements or address: identifier '$$parms' at <input>:1:23",
              problem("$$parms->x"));
    EXPECT_EQ(
        "$$name is available only in mark, tracepoint and PLT probes: identifier '$$name' at "
        "<input>:1:23",
        problem("$$name"));
}

TEST_F(Targets, NamesOfWhatIsProbed) {
    EXPECT_EQ("$$system is available only in tracepoint probes: identifier '$$system' at <input>:1:23",
              problem("$$system"));
    EXPECT_EQ("$$provider is available only in mark probes: identifier '$$provider' at <input>:1:23",
              problem("$$provider"));
    scope.name_ = "switch";
    EXPECT_EQ("\"switch\"", value("$$name"));
    EXPECT_EQ("$$name is a text, which has no members, elements or address: identifier '$$name' at <input>:1:23",
              problem("$$name[1]"));
    place.scope = nullptr;
    EXPECT_EQ("$$system is available only in tracepoint probes: identifier '$$system' at <input>:1:23",
              problem("$$system"));
}

TEST_F(Targets, PlacesWithoutVariables) {
    place.scope = nullptr;
    EXPECT_EQ("what is at this place is not known: there is no debug information: identifier '$n' at <input>:1:23",
              problem("$n"));
    place.is_code = false;
    EXPECT_EQ("there are no target variables at this kind of probe: identifier '$n' at <input>:1:23", problem("$n"));
    EXPECT_EQ("there are no target variables at this kind of probe: identifier '$$vars' at <input>:1:23",
              problem("$$vars"));
}

TEST_F(Targets, FloatingPointIsItsBits) {
    scope.local("d", scope.types.double_, FakeScope::on_stack(0));
    EXPECT_EQ("@kderef(8, @kregister(7))", value("$d"));
}

TEST_F(Targets, SpreadValuesArePutTogether) {
    Place spread;
    spread.kind = Place::Kind::Pieces;
    spread.pieces.push_back({FakeScope::in_register(1), 4});
    spread.pieces.push_back({FakeScope::on_stack(8), 4});
    scope.local("s", scope.types.long_, std::move(spread));
    EXPECT_EQ("(((@kregister(1) << 32) >>> 32) | (@kderef(4, (@kregister(7) + 8)) << 32))", value("$s"));
}

TEST_F(Targets, MembersOfSpreadStructuresAreInOneOfTheirPlaces) {
    Place spread;
    spread.kind = Place::Kind::Pieces;
    spread.pieces.push_back({FakeScope::in_register(5), 8});
    spread.pieces.push_back({FakeScope::on_stack(8), 56});
    scope.local("s", scope.types.thing_, std::move(spread));
    EXPECT_EQ("((@kregister(5) << 16) >>> 48)", value("$s->small"));
    EXPECT_EQ("@kderef(8, (@kregister(7) + 8))", value("$s->next"));
    EXPECT_EQ("((@kderef(4, ((@kregister(7) + 8) + 20)) << 32) >> 32)", value("$s->tail"));
    EXPECT_EQ("'struct thing' is being accessed as a number instead of a member of it: identifier '$s' at <input>:1:23",
              problem("$s"));
    EXPECT_EQ("it is not in memory here and has no address: identifier '$s' at <input>:1:24", problem("&$s"));
}

// An array that is a member, in pieces of which an element is one, or in one of them.
TEST_F(Targets, ElementsOfArraysInRegisters) {
    Place spread;
    spread.kind = Place::Kind::Pieces;
    spread.pieces.push_back({FakeScope::on_stack(8), 32});
    spread.pieces.push_back({FakeScope::in_register(5), 8});
    spread.pieces.push_back({FakeScope::in_register(2), 8});
    spread.pieces.push_back({FakeScope::in_register(3), 8});
    spread.pieces.push_back({ctypes::absent("gone"), 8});
    scope.local("s", scope.types.thing_, std::move(spread));
    EXPECT_EQ("((@kregister(5) << 40) >> 56)", value("$s->name[2]"));
    EXPECT_EQ("((@kregister(2) << 32) >> 32)", value("$s->table[0][0]"));
    EXPECT_EQ("(((@kregister(3) >>> 32) << 32) >> 32)", value("$s->table[1][0]"));
    EXPECT_EQ("this part of it is optimized out here: operator '[' at <input>:1:35", problem("$s->table[1][1]"));
    EXPECT_EQ("an array that is not in memory here has no such element: operator '[' at <input>:1:31",
              problem("$s->name[8]"));
    EXPECT_EQ(
        "an element of an array that is not in memory here is named by a number alone: operator '[' at "
        "<input>:1:31",
        problem("$s->name[i]"));
    EXPECT_EQ("an array in registers cannot be read: identifier '$s' at <input>:1:23", problem("$s->name"));
}

// Arrays of variable length in C have their bounds at the place of the hit.
TEST_F(Targets, SizesThatAreComputed) {
    const TypeId row = scope.types.computed_array(scope.types.int_), rows = scope.types.pointer(row);
    scope.parameter("rows", rows, FakeScope::in_register(5));
    EXPECT_EQ(
        "elements of type 'int[]' have no known size: it is known only where it is declared: operator '[' at "
        "<input>:1:28",
        problem("$rows[1][2]"));
    scope.measures_[row] = FakeScope::computed(ctypes::register_term(4));
    EXPECT_EQ("((@kderef(4, ((@kregister(5) + (1 * (@kregister(4) * 4))) + 8)) << 32) >> 32)", value("$rows[1][2]"));
    const TypeId open = scope.types.pointer(scope.types.array(scope.types.int_, 0));
    scope.parameter("open", open, FakeScope::in_register(5));
    EXPECT_EQ("elements of type 'int[]' have no known size: operator '[' at <input>:1:28", problem("$open[1][2]"));
}

TEST_F(Targets, PlacesOfMembersThatAreComputed) {
    ctypes::Member after{"after", scope.types.int_}, asked{"asked", scope.types.int_}, lost{"lost", scope.types.int_};
    after.is_computed = asked.is_computed = true;
    after.computed =
        ctypes::make_term(ctypes::TermOp::Add, ctypes::object_term(), ctypes::load_term(8, ctypes::object_term()));
    asked.id = 999;
    lost.unplaced = "debug information does not say where it is";
    const TypeId of = scope.types.structure(TypeKind::Struct, "computed", 16, {after, asked, lost});
    scope.parameter("c", scope.types.pointer(of), FakeScope::in_register(5));
    EXPECT_EQ("((@kderef(4, (@kregister(5) + @kderef(8, @kregister(5)))) << 32) >> 32)", value("$c->after"));
    EXPECT_EQ("where it is is not known here: it is known only where it is declared: operator '->' at <input>:1:25",
              problem("$c->asked"));
    scope.measures_[999] =
        FakeScope::in_memory(ctypes::make_term(ctypes::TermOp::Add, ctypes::object_term(), ctypes::register_term(4)));
    EXPECT_EQ("((@kderef(4, (@kregister(5) + @kregister(4))) << 32) >> 32)", value("$c->asked"));
    EXPECT_EQ("'lost' cannot be read: debug information does not say where it is: operator '->' at <input>:1:25",
              problem("$c->lost"));
}

TEST_F(Targets, ValuesThatAreNotRead) {
    const TypeId odd = scope.types.integer("odd", 4, Encoding::Signed);
    scope.types.set_unread(odd, "it is a complex number");
    scope.parameter("o", odd, FakeScope::in_register(5));
    EXPECT_EQ("a value of type 'odd' cannot be read: it is a complex number: identifier '$o' at <input>:1:23",
              problem("$o"));
}

TEST_F(Targets, ValuesThatCallersTell) {
    const auto is_it = ctypes::make_term(ctypes::TermOp::Equal, ctypes::register_term(16), ctypes::constant_term(7));
    scope.parameter("b", scope.types.long_,
                    FakeScope::computed(ctypes::select_term(is_it, ctypes::constant_term(42), ctypes::unknown_term())));
    EXPECT_EQ("((@kregister(16) == 7) ? 42 : __unknown_caller())", value("$b"));
}

TEST_F(Targets, EndlessLocationsAreGivenUp) {
    ctypes::TermPtr t = ctypes::register_term(1);
    for (int i = 0; i < 64; ++i)
        t = ctypes::make_term(ctypes::TermOp::Add, t, t);
    scope.local("huge", scope.types.long_, FakeScope::computed(t));
    EXPECT_EQ("its location is too large an expression: identifier '$huge' at <input>:1:23", problem("$huge"));
}

TEST_F(Targets, Lists) {
    EXPECT_EQ("sprintf(\"p=%#x n=%#x here=? gone=?\", @kregister(5), ((@kregister(4) << 32) >> 32))", value("$$vars"));
    EXPECT_EQ("sprintf(\"p=%#x n=%#x\", @kregister(5), ((@kregister(4) << 32) >> 32))", value("$$parms"));
    EXPECT_EQ("\"here=? gone=?\"", value("$$locals"));
    scope.name_ = "sched_switch";
    EXPECT_EQ("\"sched_switch\"", value("$$name"));
}

TEST_F(Targets, LongListsAreSeveralTexts) {
    for (int i = 0; i < 40; ++i)
        scope.local("v" + std::to_string(i), scope.types.long_, FakeScope::in_register(1));
    const std::string text = value("$$locals");
    EXPECT_NE(text.find("v31=%#x\", "), std::string::npos) << text;
    EXPECT_NE(text.find(") . sprintf(\" v32=%#x"), std::string::npos) << text;
}

TEST_F(Targets, Enumerations) {
    EXPECT_EQ("5", value("@enum(\"GREEN\")"));
    EXPECT_EQ(
        "__enumname_1 {\n"
        "    if (value == 0)\n"
        "        return \"RED\";\n"
        "    if (value == 5)\n"
        "        return \"GREEN\";\n"
        "    if (value == (-1))\n"
        "        return \"NONE\";\n"
        "    return sprintf(\"%d\", value);\n"
        "}\n"
        "\n__enumname_1((i++))",
        value("@enumname(\"color\", i++)"));
}

TEST_F(Targets, EnumeratorsWithoutOperator) {
    scope.local("tint", scope.types.color_, FakeScope::in_register(3));
    EXPECT_EQ("5", value("$GREEN"));
    EXPECT_EQ("1", value("@defined($GREEN)"));
    EXPECT_EQ("0", value("@defined($GREEN->x)"));
    scope.local("GREEN", scope.types.int_, FakeScope::in_register(2));
    EXPECT_NE("5", value("$GREEN"));
    const std::string by_type = value("@enumname(\"color\", $tint)"), found = value("@enumname($tint)");
    EXPECT_EQ(by_type.substr(by_type.rfind('\n') + 1), found.substr(found.rfind('\n') + 1));
    EXPECT_EQ(
        "this is of type 'int', which is not an enumeration; @enumname(\"type\", value) takes any number: operator "
        "'@enumname' at <input>:1:23",
        problem("@enumname($n)"));
    EXPECT_EQ(
        "cannot tell which enumeration this value belongs to; use @enumname(\"type\", value): operator "
        "'@enumname' at <input>:1:23",
        problem("@enumname(1)"));
}

TEST_F(Targets, DefinedAsksWhatResolves) {
    EXPECT_EQ("1", value("@defined($p->next->name)"));
    EXPECT_EQ("0", value("@defined($p->next->nme)"));
    EXPECT_EQ("0", value("@defined($gone)"));
    EXPECT_EQ("1", value("@defined(@cast(1, \"thing\")->low)"));
    EXPECT_EQ("0", value("@defined(@cast(1, \"thang\")->low)"));
    EXPECT_EQ("1", value("@defined(@var(\"counter\"))"));
    EXPECT_EQ("0", value("@defined($return)"));
    EXPECT_EQ("1", value("@defined(@enum(\"GREEN\"))"));
    // A structure has no value, but an address and members.
    EXPECT_EQ("0", value("@defined(@cast(1, \"box\")->inside)"));
    EXPECT_EQ("1", value("@defined(&@cast(1, \"box\")->inside)"));
    EXPECT_EQ("1", value("@defined(@cast(1, \"box\")->inside->low)"));
    EXPECT_EQ("1", value("@defined(@cast(1, \"box\"))"));
    value("$n$$");
    EXPECT_EQ("1", value("@defined($n$$)"));
    EXPECT_EQ("@kregister(5)", value("(@defined($gone) ? $gone : $p)"));
    EXPECT_EQ("println(1);\n", body("if (@defined($p) && !@defined($q)) println(1) else println($q)"));
}

TEST_F(Targets, RawAccess) {
    place.guru = true;
    EXPECT_EQ("@kregister(16)", value("@kregister(16)"));
    EXPECT_EQ("@uderef(4, (x + 1))", value("@uderef(4, x + 1)"));
    EXPECT_EQ("memory is read by 1, 2, 4 or 8 bytes, written as a number: number '3' at <input>:1:31",
              problem("@kderef(3, x)"));
    EXPECT_EQ("memory is read by 1, 2, 4 or 8 bytes, written as a number: identifier 'n' at <input>:1:31",
              problem("@uderef(n, x)"));
    EXPECT_EQ("a register is named by its number in DWARF, from 0 to 16: number '17' at <input>:1:34",
              problem("@kregister(17)"));
}

TEST_F(Targets, Writing) {
    EXPECT_EQ("semantic error: write to target variable not permitted; need stap -g: identifier '$p' at <input>:1:15\n",
              body("$p->number = 1").substr(0, body("$p->number = 1").find('\n') + 1));
    pass.diagnostics.drop_since(0);
    place.guru = true;
    EXPECT_EQ("(@kderef(4, @kregister(5)) = 1);\n", body("$p->number = 1"));
    EXPECT_EQ("(@kregister(4) = (((x++) << 32) >> 32));\n", body("$n = x++"));
    EXPECT_EQ(
        "__set_bits_1 {\n"
        "    (@kderef(1, address) = ((@kderef(1, address) & (-249)) | ((value << 3) & 248)));\n"
        "    return value;\n"
        "}\n"
        "\n__set_bits_1(((@kregister(5) + ((i++) * 64)) + 16), 7);\n",
        body("$p[i++]->mid = 7"));
    EXPECT_EQ("target variables are assigned with plain = only", body("$n += 1").substr(16, 47));
}

TEST_F(Targets, ReturnsSeeWhatTheEntrySaved) {
    EntrySaves saves;
    place.at_return = true;
    place.saves = &saves;
    scope.result_ = scope.types.type(scope.types.int_);
    EXPECT_EQ("((@kregister(0) << 32) >> 32)", value("$return"));
    EXPECT_EQ("sprintf(\"return=%#x\", ((@kregister(0) << 32) >> 32))", value("$$return"));
    EXPECT_EQ("@entry0", value("$p->next"));
    EXPECT_EQ("(@entry0 . @entry1)", value("$p->next . @entry(probefunc())"));
    EXPECT_EQ("sprintf(\"p=%#x n=%#x\", @entry2, @entry3)", value("$$parms"));
    ASSERT_EQ(4u, saves.saves.size());
    EXPECT_EQ("@kderef(8, (@kregister(5) + 8))", ast::print(*saves.saves[0].value));
    EXPECT_EQ("probefunc()", ast::print(*saves.saves[1].value));
    EXPECT_EQ("@kregister(5)", ast::print(*saves.saves[2].value));
    scope.result_ = scope.types.type(0);
    EXPECT_EQ("the function returns nothing, there is no $return: identifier '$return' at <input>:1:23",
              problem("$return"));
    EXPECT_EQ("\"\"", value("$$return"));
    EXPECT_EQ("0", value("@defined($return)"));
    scope.result_ = scope.types.type(scope.types.thing_);
    EXPECT_EQ(
        "a result of type 'struct thing' cannot be read: how this processor returns a value of more than 8 bytes is "
        "not known: identifier '$return' at "
        "<input>:1:23",
        problem("$return"));
    EXPECT_EQ("unable to find local 'q' (alternatives: $p, $n, $here, $gone, $return): identifier '$q' at <input>:1:23",
              problem("$q"));
    place.guru = true;
    EXPECT_EQ("a variable of the function cannot be written at its return", body("$n = 1").substr(16, 58));
}

TEST_F(Targets, IndexesThatOnlyTheReturnKnowsAreFollowedThere) {
    EntrySaves saves;
    place.at_return = true;
    place.saves = &saves;
    place.is_local = [](const std::string &name) { return name == "i"; };
    EXPECT_EQ("@entry0", value("$p->name[g]"));
    EXPECT_EQ("((@kderef(1, (@entry1 + i)) << 56) >> 56)", value("$p->name[i]"));
    EXPECT_EQ("@kderef(2, ((@entry2 + (i * 64)) + 4))", value("$p->next[i]->small"));
    EXPECT_EQ("(@entry3 + (((+i) + g) * 64))", value("&$p[+i + g]"));
    EXPECT_EQ("((@kderef(4, (@entry5 + ((@entry4 + i) * 4))) << 32) >> 32)", value("$p->table[1][$n + i]"));
    std::string saved;
    for (const EntrySaves::Save &save : saves.saves)
        saved += ast::print(*save.value) + "\n";
    EXPECT_EQ(
        "((@kderef(1, ((@kregister(5) + 32) + g)) << 56) >> 56)\n"
        "(@kregister(5) + 32)\n"
        "@kderef(8, (@kregister(5) + 8))\n"
        "@kregister(5)\n"
        "((@kregister(4) << 32) >> 32)\n"
        "((@kregister(5) + 40) + 12)\n",
        saved);
    EXPECT_EQ(
        "'i' is a local variable, which has no value at the entry of the function; @entry(...) may use global "
        "variables "
        "and target variables: identifier 'i' at <input>:1:30",
        problem("@entry(i)"));
    EXPECT_EQ("it is not in memory here and has no address: identifier '$n' at <input>:1:24", problem("&$n"));
}

TEST_F(Targets, SkippedVariablesAreZero) {
    skip_bad = true;
    EXPECT_EQ(
        "WARNING: 'gone' cannot be read: it is optimized out here; it reads as 0: identifier '$gone' at <input>:1:23\n"
        " source: probe begin { println($gone) }\n"
        "                               ^\n"
        "0",
        value("$gone"));
}

TEST_F(Targets, SkippedTextsAreEmpty) {
    skip_bad = true;
    const std::string text = value("$gone->x$");
    EXPECT_EQ("\"\"", text.substr(text.size() - 2)) << text;
}

}  // namespace
}  // namespace tapir::resolve
