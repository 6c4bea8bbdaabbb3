// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/kernel_options.h"

#include <gtest/gtest.h>

namespace tapir::machine {
namespace {

std::string missing(std::string_view options, std::string_view config) {
    return missing_options({"x", "x", options}, options_of(config));
}

TEST(KernelOptions, AreLookedUpWhole) {
    const OptionValue value = options_of("CONFIG_A=y\nCONFIG_AB=m\n# CONFIG_C is not set\nCONFIG_HZ=250");
    EXPECT_EQ(value("CONFIG_A"), "y");
    EXPECT_EQ(value("CONFIG_AB"), "m");
    EXPECT_EQ(value("CONFIG_B"), "");
    EXPECT_EQ(value("CONFIG_C"), "");
    EXPECT_EQ(value("CONFIG_HZ"), "250");
}

TEST(KernelOptions, WhatIsMissingIsNamed) {
    EXPECT_EQ(missing("", ""), "");
    EXPECT_EQ(missing("A", "CONFIG_A=m\n"), "");
    EXPECT_EQ(missing("A B", "CONFIG_A=y\n"), "CONFIG_B");
    EXPECT_EQ(missing("A B", ""), "CONFIG_A and CONFIG_B");
    EXPECT_EQ(missing("A|B", "CONFIG_B=y\n"), "");
    EXPECT_EQ(missing("A|B C", ""), "one of CONFIG_A, CONFIG_B and CONFIG_C");
}

TEST(KernelOptions, FeaturesAreFound) {
    ASSERT_NE(find_feature("uretprobe"), nullptr);
    EXPECT_EQ(find_feature("uretprobe")->options, "UPROBES");
    ASSERT_NE(find_feature("process"), nullptr);
    EXPECT_EQ(find_feature("process")->options, "TRACEPOINTS KPROBES TASKSTATS|BSD_PROCESS_ACCT");
    EXPECT_EQ(find_feature("nonsense"), nullptr);
    EXPECT_EQ(features().front().name, "modules");
}

}  // namespace
}  // namespace tapir::machine
