// SPDX-License-Identifier: GPL-2.0-or-later
// The text that describes an option.
#include <algorithm>
#include <cctype>
#include <limits>
#include <sstream>

#include "base/name_patterns.h"
#include "common/quoting.h"
#include "tool/head.h"

namespace tapir::tool {
namespace {

Fault bad_spec(std::string why, std::string hint = {}) {
    return Fault{FaultTag::Misuse, std::move(why), std::move(hint)};
}

struct TypeName {
    std::string_view name;
    Type type;
    bool number;  // the kind of its global
};
constexpr TypeName kTypes[] = {
    {"number", Type::Number, true},     {"text", Type::Text, false}, {"flag", Type::Flag, true},
    {"duration", Type::Duration, true}, {"size", Type::Size, true},  {"percent", Type::Percent, true},
    {"pid", Type::Pid, true},           {"path", Type::Path, false}, {"regex", Type::Regex, false},
    {"points", Type::Points, false},
};

// Reads the words before "--" one by one.
class SpecReader {
  public:
    SpecReader(const std::string &text, bool initial_is_number, Option &option)
        : option_(option), initial_is_number_(initial_is_number) {
        std::istringstream words(text);
        for (std::string word; words >> word;)
            words_.push_back(word);
        option.type = initial_is_number ? Type::Number : Type::Text;
    }

    Outcome<void> read() {
        while (next_ < words_.size()) {
            const Outcome<void> taken = take(words_[next_++]);
            if (!taken) return taken;
        }
        return finish();
    }

  private:
    Outcome<void> take(std::string word) {
        const bool names_value = word.ends_with(':');
        if (names_value) word.pop_back();
        if (word.size() == 2 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1]))) {
            option_.letter = word[1];
            return {};
        }
        if (word.starts_with('-')) return bad_spec("'" + word + "' is not a letter for an option", "write it as -m");
        if (word == "required") {
            option_.required = true;
            return {};
        }
        if (word == "live") {
            option_.live = true;
            return {};
        }
        if (word == "in") return take_range();
        if (word.ends_with("...")) {
            option_.repeated = true;
            word.resize(word.size() - 3);
        }
        if (word.starts_with('<') && word.ends_with('>')) {
            option_.positional = true;
            word = word.substr(1, word.size() - 2);
            option_.metavar = word;
            return {};
        }
        if (names_value) {
            option_.metavar = word;
            return {};
        }
        return take_type(word);
    }

    Outcome<void> take_type(const std::string &word) {
        if (typed_) return bad_spec("it has two types, of which '" + word + "' is the second", "help follows \"--\"");
        typed_ = true;
        if (word.find('|') != std::string::npos) {
            option_.type = Type::Choice;
            std::istringstream choices(word);
            for (std::string choice; std::getline(choices, choice, '|');) {
                if (choice.empty()) return bad_spec("'" + word + "' has an empty choice");
                option_.choices.push_back(choice);
            }
            return {};
        }
        for (const TypeName &type : kTypes)
            if (type.name == word) {
                option_.type = type.type;
                return {};
            }
        std::vector<std::string> names;
        for (const TypeName &type : kTypes)
            names.emplace_back(type.name);
        return bad_spec("'" + word + "' is not a type" + similar_text(similar_names(word, names, 1)),
                        "types are number, text, flag, duration in UNIT, size, percent, pid, path, regex, points and "
                        "A|B|C; help follows \"--\"");
    }

    // "in us" of a duration, else "in 1..100".
    Outcome<void> take_range() {
        if (next_ == words_.size()) return bad_spec("a unit or a range is missing behind 'in'");
        const std::string word = words_[next_++];
        if (option_.type == Type::Duration && option_.unit.empty()) {
            static constexpr std::string_view kUnits[] = {"ns", "us", "ms", "s"};
            if (std::find(std::begin(kUnits), std::end(kUnits), word) == std::end(kUnits))
                return bad_spec("'" + word + "' is not a unit of time", "units are ns, us, ms and s");
            option_.unit = word;
            return {};
        }
        range_ = word;
        return {};
    }

    // A limit is written as a value is.
    Outcome<void> take_limit(const std::string &text, std::optional<int64_t> &limit) {
        if (text.empty()) return {};
        Option unlimited = option_;
        unlimited.least = std::numeric_limits<int64_t>::min();
        const Outcome<std::string> value = read_value(unlimited, text);
        if (!value) return bad_spec("the range '" + range_ + "' has a wrong limit: " + value.fault().text);
        limit = std::stoll(*value);
        return {};
    }

    Outcome<void> finish() {
        if (option_.type == Type::Duration && option_.unit.empty())
            return bad_spec("a duration needs the unit of its value", "write \"duration in us\"");
        if (option_.type == Type::Flag && (option_.positional || option_.repeated || !option_.metavar.empty()))
            return bad_spec("a flag has no value that could have a name or repeat");
        if (option_.live && (option_.repeated || option_.type == Type::Points))
            return bad_spec("a list and probe points cannot change while the script runs (live)");
        if (option_.letter && option_.positional)
            return bad_spec("a word without a name has no letter, -" + std::string(1, option_.letter));
        if (!range_.empty()) {
            if (!option_.is_number() && option_.type != Type::Pid)
                return bad_spec("only numbers have a range, '" + range_ + "'");
            const size_t dots = range_.find("..");
            if (dots == std::string::npos) return bad_spec("'" + range_ + "' is not a range", "write it as 1..100");
            std::optional<int64_t> least, most;
            for (const auto &[text, limit] :
                 {std::pair{range_.substr(0, dots), &least}, {range_.substr(dots + 2), &most}})
                if (const Outcome<void> taken = take_limit(text, *limit); !taken) return taken;
            if (least && most && *least > *most) return bad_spec("the range '" + range_ + "' is empty");
            option_.least = least, option_.most = most;
        }
        // Values that repeat are kept as one text.
        const bool is_number = (option_.is_number() || option_.type == Type::Pid) && !option_.repeated;
        if (is_number != initial_is_number_)
            return bad_spec(is_number ? "the value of this type is a number, the default is text"
                                      : "the value of this type is text, the default is a number",
                            is_number ? "write the default without quotes" : "write the default in quotes");
        return {};
    }

    Option &option_;
    bool initial_is_number_;
    std::vector<std::string> words_;
    size_t next_ = 0;
    bool typed_ = false;
    std::string range_;
};

}  // namespace

Outcome<void> read_spec(const std::string &spec, bool initial_is_number, Option &option) {
    size_t help = spec.starts_with("--") ? 0 : spec.find(" --");
    const bool has_help = help != std::string::npos;
    const std::string before = spec.substr(0, has_help ? help : spec.size());
    if (has_help) option.help = trim(std::string_view(spec).substr(spec.find("--", help) + 2));
    const Outcome<void> read = SpecReader(before, initial_is_number, option).read();
    if (read && option.help.empty())
        return bad_spec("it does not say what the option is for", "write it behind \"--\"");
    return read;
}

std::string default_metavar(const Option &option) {
    switch (option.type) {
        case Type::Flag:
            return {};
        case Type::Duration:
            return "TIME";
        case Type::Size:
            return "SIZE";
        case Type::Percent:
            return "PERCENT";
        case Type::Pid:
            return "PID";
        case Type::Path:
            return "PATH";
        case Type::Regex:
            return "REGEX";
        case Type::Points:
            return "POINT";
        case Type::Text:
            return "TEXT";
        case Type::Number:
            return "N";
        case Type::Choice:
            break;
    }
    std::string choices;
    for (const std::string &choice : option.choices)
        choices += (choices.empty() ? "" : "|") + choice;
    return choices;
}

}  // namespace tapir::tool
