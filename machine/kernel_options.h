// SPDX-License-Identifier: GPL-2.0-or-later
// The options of the kernel's configuration that a feature needs: the one table of them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace tapir::machine {

struct Feature {
    std::string_view name;   // "modules", a probe kind as its files are named, or that and a part of it
    std::string_view title;  // "probes at the entry of kernel functions"
    // Options without CONFIG_, separated by blanks; of those joined by '|' one is enough.
    std::string_view options;
};

// Returns the feature of that name. The table ends with probe kinds in the order of listings.
const Feature *find_feature(std::string_view name);
std::span<const Feature> features();

// The value of an option ("CONFIG_KPROBES"), "" when it is not set.
using OptionValue = std::function<std::string_view(std::string_view name)>;

// The options that a feature lacks, for messages: "CONFIG_UPROBES", "CONFIG_A and one of CONFIG_B, CONFIG_C"; "" if
// none.
std::string missing_options(const Feature &feature, const OptionValue &value);

// Looks options up in the text of a configuration, which must outlive the result.
OptionValue options_of(std::string_view config);

}  // namespace tapir::machine
