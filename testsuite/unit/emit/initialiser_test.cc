// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/initialiser.h"

#include <gtest/gtest.h>

#include <limits>

#include "emit/c/arg_text.h"

namespace tapir::emit {
namespace {

TEST(Initialiser, MembersByTheirNamesWithoutZeros) {
    Initialiser row;
    row.text("name", "a\"b")
        .number("count", 0)
        .value("list", "NULL")
        .number("pid", -1)
        .value("kind", "&tapir_kind_begin");
    EXPECT_EQ(row.str(), R"({ .name = "a\"b", .pid = -1, .kind = &tapir_kind_begin })");
    EXPECT_EQ(Initialiser().number("a", 0u).optional_text("b", "").str(), "{ 0 }");
}

TEST(Initialiser, NumbersHaveTheTypesTheyNeed) {
    EXPECT_EQ(Initialiser().number("n", 2147483647).str(), "{ .n = 2147483647 }");
    EXPECT_EQ(Initialiser().number("n", int64_t{2147483648}).str(), "{ .n = 2147483648LL }");
    EXPECT_EQ(Initialiser().number("n", std::numeric_limits<int64_t>::min()).str(),
              "{ .n = (-9223372036854775807LL - 1) }");
    EXPECT_EQ(Initialiser().number("n", std::numeric_limits<uint64_t>::max()).str(),
              "{ .n = 18446744073709551615ull }");
}

// An object with a number that a global decides is not constant.
TEST(ArgText, SettingsNameTheirGlobals) {
    ir::Module module;
    module.globals.resize(2);
    module.globals[1].name = "every";
    SymbolTable symbols;
    Settings settings;
    probes::Arg arg;
    arg.type("tapir_timer_arg");
    arg.setting("period", {100, "every", 1000, 0, 1, 9});
    EXPECT_EQ(arg_definition(arg, module, {}, symbols, settings, "arg0"),
              "static struct tapir_timer_arg arg0 = { .period = 100 };\n");
    settings.add(module, {5, "every", 1, 1000, 1, 9}, "&sizes.max_entries", true);
    EXPECT_EQ(settings.count, 2u);
    EXPECT_EQ(settings.rows,
              "\t{ .name = \"every\", .global = &g1_every, .number = &arg0.period, .least = 1, .most = 9, "
              ".times = 1000 },\n"
              "\t{ .name = \"every\", .global = &g1_every, .entries = &sizes.max_entries, .least = 1, .most = 9, "
              ".dividend = 1000 },\n");
}

// An argument with all that one may have.
TEST(ArgText, ArraysComeBeforeWhatPointsToThem) {
    ir::Module module;
    module.programs.resize(2);
    module.programs[0].path = "/bin/sh";
    module.programs[1].path = "/bin/true";
    module.syscalls.entries = {10, 20, 30};
    ir::Handler handler;
    handler.touches = {{.op = ir::TouchOp::Constant, .detail = 1, .value = 8}};
    SymbolTable symbols;
    symbols.index("vfs_read");
    Settings settings;
    probes::Arg arg;
    const auto definition = [&] { return arg_definition(arg, module, handler, symbols, settings, "arg0"); };
    EXPECT_EQ(definition(), "");
    arg.type("tapir_user_arg");
    arg.nested("code", [](probes::Arg &code) {
        code.rows("sites", "tapir_function_site", 2, [](size_t i, probes::Arg &row) {
            row.symbol("symbol", i ? "vfs_write" : "vfs_read");
            row.number("entry", 1);
        });
    });
    arg.program("program", "/bin/true");
    arg.program("other", "");
    arg.numbers("semaphores", "u64", {0, 5});
    arg.syscalls("entries", "count", {30, 10});
    arg.touches();
    EXPECT_EQ(definition(),
              "static const struct tapir_function_site arg0_sites[] = {\n"
              "\t{ .entry = 1 },\n"
              "\t{ .symbol = 1, .entry = 1 },\n"
              "};\n"
              "static const u64 arg0_semaphores[] = {\n"
              "\t0, 5,\n"
              "};\n"
              "static const u16 arg0_entries[] = {\n"
              "\t0, 2,\n"
              "};\n"
              "static const struct tapir_touch arg0_touches[] = {\n"
              "\t{ .op = TAPIR_TOUCH_CONSTANT, .detail = 1, .value = 8 },\n"
              "};\n"
              "static const struct tapir_user_arg arg0 = { .code = { .sites = arg0_sites }, .program = 1, "
              ".other = TAPIR_NO_PROGRAM, .semaphores = arg0_semaphores, .count = 2, .entries = arg0_entries, "
              ".ntouches = 1, .touches = arg0_touches };\n");
    EXPECT_EQ(symbols.symbols().size(), 2u);
}

}  // namespace
}  // namespace tapir::emit
