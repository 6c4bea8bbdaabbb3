// SPDX-License-Identifier: GPL-2.0-or-later
// Tests a kernel's headers for features: many compile tests in one compilation, run by make with the kernel's own
// flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::build {

// One line of kmod/compat/features.list.
struct FeatureTest {
    std::string name;
    std::vector<std::string> headers;  // without <>
    std::vector<std::string> symbols;  // that must be exported to modules
    std::string body;                  // of a C function; functions it declares are called f
};

std::vector<FeatureTest> parse_feature_list(std::string_view text);

// Returns a C file in which every test is a function of its own, on a line whose file name is the test's. `symvers` is
// the kernel's Module.symvers. Compile it with kFeatureFlags and the compiler's own: the location of each error then
// names a failed test, independent of other failures.
std::string feature_source(const std::vector<FeatureTest> &tests, std::string_view symvers);

inline constexpr std::string_view kFeatureFlags =
    "-std=gnu11 -fsyntax-only -Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
    "-Werror=int-conversion";
inline constexpr std::string_view kFeatureFlagsOfGcc =
    "-fmax-errors=0 -ftrack-macro-expansion=0 -fno-diagnostics-show-caret";
inline constexpr std::string_view kFeatureFlagsOfClang = "-ferror-limit=0 -fno-caret-diagnostics";

// An awk program: reads the tests (feature_table) and then the compiler's messages, prints tapir_kernel_features.h, in
// which each NAME is 1 or 0. Exits 1 when there is an error outside of the tests: then nothing can be concluded.
// In awk because it runs in the middle of the one make run.
extern const std::string_view kFeatureAwk;
std::string feature_table(const std::vector<FeatureTest> &tests);

}  // namespace tapir::build
