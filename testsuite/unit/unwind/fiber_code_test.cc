// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/fiber_code.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "load.h"

namespace tapir::unwind {
namespace {

std::vector<std::pair<size_t, size_t>> found(std::string_view code) {
    std::vector<std::pair<size_t, size_t>> out;
    for (const FiberCode &fiber : fiber_code(code))
        out.emplace_back(fiber.start, fiber.end);
    return out;
}

using namespace std::string_view_literals;
using Places = std::vector<std::pair<size_t, size_t>>;

// The code at a fiber's beginning and end, with and without shadow stacks.
TEST(FiberCode, IsKnownByItsInstructions) {
    constexpr auto kPlain = "\x55\xff\xe3\x48\x31\xff\xe8\x01\x02\x03\x04\xf4"sv;
    EXPECT_EQ(found(kPlain), (Places{{0, 12}}));
    EXPECT_EQ(found(std::string("\xc3") + std::string(kPlain) + "\x90\x90" + std::string(kPlain)),
              (Places{{1, 13}, {15, 27}}));
    EXPECT_EQ(found("\xe8\x02\x00\x00\x00\xff\xe5\xff\xe3\xf3\x0f\x1e\xfa\x48\x31\xff\xe8\x01\x02\x03\x04\xf4"sv),
              (Places{{0, 22}}));
    for (size_t bytes = 0; bytes < kPlain.size(); bytes++)
        EXPECT_EQ(found(kPlain.substr(0, bytes)), Places{}) << bytes;
    // Another jump, another push, no halt.
    EXPECT_EQ(found("\x55\xff\xe0\x48\x31\xff\xe8\x01\x02\x03\x04\xf4"sv), Places{});
    EXPECT_EQ(found("\x90\xff\xe3\x48\x31\xff\xe8\x01\x02\x03\x04\xf4"sv), Places{});
    EXPECT_EQ(found("\x55\xff\xe3\x48\x31\xff\xe8\x01\x02\x03\x04\x90"sv), Places{});
}

// In a library with fibers, the code that make_fcontext() makes a fiber return to, loaded into %rcx last, is outermost.
void expect_rules(const std::string &path) {
    const Object object(path);
    if (!tapir_unwind_call_pushes(object.file.machine())) GTEST_SKIP() << "its instructions are those of x86-64";
    const tapir_unwind_table &table = object.table.header();
    const tapir_unwind_symbol *make = nullptr;
    for (uint32_t i = 0; i < table.nsymbols; i++)
        if (tapir_unwind_string(&table, tapir_unwind_symbols(&table)[i].name) == "make_fcontext"sv)
            make = &tapir_unwind_symbols(&table)[i];
    if (!make) GTEST_SKIP() << path << " has no fibers";
    const std::string_view code = object.file.content_at(make->place + table.bias, 128);
    const size_t load = code.rfind("\x48\x8d\x0d"sv, code.find("\x48\x31\xff\xe8"sv));
    ASSERT_NE(load, std::string_view::npos);
    int32_t distance = 0;
    memcpy(&distance, code.data() + load + 3, sizeof distance);
    const uint32_t returns = make->place + static_cast<uint32_t>(load) + 7 + static_cast<uint32_t>(distance);
    for (const uint32_t place : {returns - 1, returns, returns + 8})
        EXPECT_EQ(tapir_unwind_find_rule(&table, place)->flags, TAPIR_RULE_OUTERMOST) << place;
    EXPECT_NE(tapir_unwind_find_rule(&table, make->place)->flags, TAPIR_RULE_OUTERMOST);
}

TEST(FiberCode, OfBoost) {
    const std::string path = library_path("libboost_context.so.1.74.0");
    if (path.empty()) GTEST_SKIP() << "there is no Boost.Context";
    expect_rules(path);
}

TEST(FiberCode, OfPhp) {
    if (!std::ifstream("/usr/bin/php8.2")) GTEST_SKIP() << "there is no PHP";
    expect_rules("/usr/bin/php8.2");
}

}  // namespace
}  // namespace tapir::unwind
