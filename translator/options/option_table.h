// SPDX-License-Identifier: GPL-2.0-or-later
// The options that work, and those of other implementations that are refused by name.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// The options of stap with their help texts, in groups.
boost::program_options::options_description described_options();

enum class Takes : char { Nothing, Value, OptionalValue };

// An option that scripts and habits may bring along and that cannot do its work here.
struct RefusedOption {
    std::string_view name;  // without dashes; a single letter is a short option
    Takes takes;
    std::string_view why;  // completes "The option ... is not supported: "
};
std::span<const RefusedOption> refused_options();

// These, the refused options, the hidden ones and the plain words (as "word"): what the parser accepts.
const boost::program_options::options_description &accepted_options();

// The command line with the values that may be left out filled in: Boost would take the next word for the value.
std::vector<std::string> with_optional_values(std::vector<std::string> args);

// The kernel passes all that follows the interpreter on a script's "#!" line as one argument, before the script's path.
// When the first argument is such a line's, it becomes the words it is made of.
std::vector<std::string> with_split_interpreter_line(const std::vector<std::string> &args);

// The options and plain words of a command line. Names are whole: what an abbreviation means would change with each new
// option. Throws what Boost throws: boost::program_options::error.
boost::program_options::parsed_options parse_words(const std::vector<std::string> &words);

// The same; `hook` sees the words that are left before each option or plain word is read, and may take some.
using WordHook = std::function<std::vector<boost::program_options::option>(std::vector<std::string> &rest)>;
boost::program_options::parsed_options read_words(const std::vector<std::string> &words, const WordHook &hook);

// The options that ask for something other than to run a script.
std::span<const std::pair<const char *, Action>> action_options();

// Long names, with their dashes, for "similar:" lists.
std::vector<std::string> long_option_names();

}  // namespace tapir::driver
