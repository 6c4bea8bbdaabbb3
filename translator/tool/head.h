// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The head of a tool: what a script says of itself and of its options with @tool and @option (docs/write-a-tool.md). It
 * is read from the script's tokens alone, without tapsets and without a kernel.
 *
 *     @tool("offcpu (offcputime)", "Waiting: where do threads wait, and for how long?", "offcpu -p 42 -m 1ms")
 *     @option(min, 0, "-m TIME: duration in us -- ignore shorter waits")
 */
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/source.h"
#include "common/outcome.h"

namespace tapir::tool {

enum class Type : uint8_t { Number, Text, Flag, Duration, Size, Percent, Choice, Pid, Path, Regex, Points };

struct Option {
    std::string name;     // of the script's global; the option's name has "-" for "_"
    std::string initial;  // the value of the global if the option is not given
    Type type = Type::Number;
    char letter = 0;  // 0: only the long name
    std::string metavar;
    std::string unit;                  // of a Duration's value: ns, us, ms or s
    std::vector<std::string> choices;  // of a Choice
    std::optional<int64_t> least, most;
    bool positional = false;  // a word without a name
    bool repeated = false;    // values are joined by commas
    bool required = false;
    bool live = false;      // its value may change while the script runs
    bool rebuilds = false;  // the value is part of what is built: it stands where the language wants a literal
    bool is_read = false;   // as a global, at other places
    bool loads = false;     // it stands for numbers that are set when the session starts
    SourceRef default_at;   // the literal of the default
    std::string help;
    SourceRef at;    // the name in @option
    SourceRef spec;  // the text that describes it

    // "--min-size"
    std::string long_name() const;
    // True if the loader sets the global; the others have their value from the beginning.
    bool is_loaded() const { return !rebuilds && (is_read || loads); }
    // True if the global is a number.
    bool has_number() const { return is_number() || (type == Type::Pid && !repeated); }
    bool is_number() const { return type <= Type::Percent && type != Type::Text; }
};

// Where a literal with the value of an option belongs: at its name, or at the default of one that rebuilds.
struct LiteralPlace {
    uint32_t line, column;
    std::string option;
    bool may_load = false;  // the loader may decide it
};

// A table of the script, as @table declares it.
struct Table {
    struct Column {
        std::string name, unit, subject;  // "" where nothing is said
    };
    std::string name;
    std::vector<Column> columns;
};

struct Head {
    std::string name;  // of @tool, else of the script's file without its suffix
    std::vector<std::string> aliases;
    std::string group;     // "" if the question has none
    std::string question;  // "" without @tool
    std::vector<std::string> examples;
    std::vector<std::string> description;  // paragraphs: the comment that the script begins with
    std::string output;                    // of a real run, from NAME.txt beside the script; "" if there is none
    std::vector<Table> tables;
    std::vector<Option> options;
    std::vector<LiteralPlace> literals;
    bool takes_arguments = false;  // the script mentions $1, @1 or their number
    SourceRef at;                  // of @tool; empty without it

    const Option *find(std::string_view name) const;
};

// Returns the head of a script, or nothing if it has neither @tool nor @option. Reports what is wrong with it. `file`
// must outlive the result.
std::optional<Head> read_head(const SourceFile &file, Diagnostics &diagnostics);

// Reads a value as a user writes it: "10ms" for a duration, "4k" for a size. Returns it as the global's value, or why
// it is none, to follow "Invalid value 'x' for --min: ".
Outcome<std::string> read_value(const Option &option, const std::string &text);

// A number of the option's type as a user would write it: "10ms", "4k", "5%".
std::string shown_number(const Option &option, int64_t value);

// Fills in what `spec` says: "[-L] [METAVAR:] [TYPE] [in LEAST..MOST] [required] [live] [-- help]". Returns why it
// cannot.
Outcome<void> read_spec(const std::string &spec, bool initial_is_number, Option &option);

// The words for values of an option's type: "TIME", "SIZE", "any|sleep|disk".
std::string default_metavar(const Option &option);

}  // namespace tapir::tool
