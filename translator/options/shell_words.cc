// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/shell_words.h"

#include <unistd.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>

#include "options/option_table.h"
#include "tool/completed.h"
#include "tool/script.h"

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

struct OptionWord {
    std::vector<std::string> names;  // with dashes
    std::string metavar;             // "": it takes no value
    bool may_lack = false;           // the value
    Fill fill = Fill::Nothing;
    std::vector<std::string> choices;
    std::string help;
};

// Values that the table of options has no list of.
constexpr struct {
    std::string_view option, values;
} kChoices[] = {
    {"-p", "1 2 3 4 5"},
    {"--color", "never always auto"},
    {"--colour", "never always auto"},
    {"--runtime", "kernel process"},
    {"--prologue-searching", "never always auto"},
    {"--dump-after", "parse elaborate infer optimize lower emit"},
    {"--format", "text json csv"},
    {"--on-overload", "warn stop stop:"},
};

constexpr struct {
    std::string_view metavar;
    Fill fill;
} kFills[] = {
    {"FILE", Fill::Files},    {"PATH", Fill::Files},       {"KEY", Fill::Files},
    {"OBJECT", Fill::Files},  {"DIR", Fill::Directories},  {"RELEASE|DIR", Fill::Releases},
    {"CMD", Fill::Commands},  {"RELEASE", Fill::Releases}, {"PROGRAM", Fill::Commands},
    {"PID", Fill::Processes}, {"HOST|@FILE", Fill::Hosts}, {"PROBE", Fill::Points},
    {"SCRIPT", Fill::Script}, {"HOST", Fill::Hosts},
};

std::vector<std::string> parted(std::string_view text, char at) {
    std::vector<std::string> parts;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, at);)
        parts.push_back(part);
    return parts;
}

// "[stop|run]" lists its values.
std::vector<std::string> listed_values(const std::string &metavar) {
    const bool words = metavar.find('|') != metavar.npos && std::ranges::all_of(metavar, [](unsigned char c) {
                           return std::islower(c) || c == '|' || c == '-';
                       });
    return words ? parted(metavar, '|') : std::vector<std::string>{};
}

void set_value(OptionWord &word, std::string metavar) {
    word.may_lack = metavar.starts_with('[');
    if (word.may_lack) metavar = metavar.substr(1, metavar.size() - 2);
    word.metavar = metavar;
    word.choices = listed_values(metavar);
    for (const auto &row : kFills)
        if (row.metavar == metavar) word.fill = row.fill;
}

std::vector<OptionWord> stap_options() {
    std::vector<OptionWord> words;
    const po::options_description described = described_options();
    for (const auto &option : described.options()) {
        OptionWord word;
        // "-h [ --help ]", "-p" or "--vp".
        for (const std::string &part : parted(option->format_name(), ' '))
            if (part.starts_with('-')) word.names.push_back(part);
        word.help = option->description();
        if (option->semantic()->max_tokens() > 0) set_value(word, option->semantic()->name());
        for (const auto &row : kChoices)
            if (std::ranges::find(word.names, row.option) != word.names.end()) word.choices = parted(row.values, ' ');
        words.push_back(std::move(word));
    }
    return words;
}

std::vector<OptionWord> tool_options_of(const tool::Head &head) {
    std::vector<OptionWord> words;
    for (const tool::Completed &option : tool::completed(head)) {
        OptionWord word;
        if (!option.letter.empty()) word.names.push_back("-" + option.letter);
        word.names.push_back("--" + option.name);
        word.help = option.help;
        if (option.values != tool::Values::None) set_value(word, option.metavar.empty() ? "VALUE" : option.metavar);
        word.may_lack = option.may_lack;
        if (!option.choices.empty()) word.choices = option.choices;
        if (option.values == tool::Values::Files) word.fill = Fill::Files;
        if (option.values == tool::Values::Pids) word.fill = Fill::Processes;
        words.push_back(std::move(word));
    }
    return words;
}

const OptionWord *find_option(const std::vector<OptionWord> &options, const std::string &name) {
    for (const OptionWord &option : options)
        if (std::ranges::find(option.names, name) != option.names.end()) return &option;
    return nullptr;
}

// An option in a word, and its value as far as that is there.
struct Taken {
    const OptionWord *option = nullptr;
    std::string name, prefix;
    std::optional<std::string> value;
    bool wants_next = false;  // the next word is its value
};

// The last option of a word such as "--core=FILE", "-kr6.1" or "-v".
Taken take(const std::vector<OptionWord> &options, const std::string &word) {
    Taken taken;
    if (word.starts_with("--")) {
        const size_t sign = word.find('=');
        taken.name = word.substr(0, sign);
        taken.option = find_option(options, taken.name);
        if (!taken.option || taken.option->metavar.empty()) return taken;
        if (sign != word.npos) {
            taken.prefix = word.substr(0, sign + 1);
            taken.value = word.substr(sign + 1);
        }
        taken.wants_next = !taken.value && !taken.option->may_lack;
        return taken;
    }
    for (size_t i = 1; i < word.size(); i++) {
        taken.name = std::string("-") + word[i];
        taken.option = find_option(options, taken.name);
        if (!taken.option || taken.option->metavar.empty()) continue;
        if (i + 1 < word.size()) {
            taken.prefix = word.substr(0, i + 1);
            taken.value = word.substr(i + 1);
        }
        taken.wants_next = !taken.value && !taken.option->may_lack;
        return taken;
    }
    return taken;
}

// Reads the words before the last one.
class Reader {
  public:
    Reader(const std::vector<std::string> &words, const std::vector<std::string> &tools)
        : words_(words), last_(words.empty() ? 0 : words.size() - 1), tools_(tools), options_(stap_options()) {}

    ShellCompletion run() {
        if (words_.empty()) return std::move(result_);
        if (last_ > 0 && (words_[0] == "report" || words_[0] == "watch")) {
            result_.value = words_[last_];
            result_.fill = Fill::Files;
            if (words_[0] == "watch") add_tools();
            return finish();
        }
        const Taken open = read_before();
        if (open.wants_next) {
            add_values(*open.option, "", words_[last_]);
            return finish();
        }
        complete_last();
        return finish();
    }

  private:
    ShellCompletion finish() {
        keep_beginning(result_.words, words_[last_]);
        return std::move(result_);
    }

    const std::vector<OptionWord> &options() const { return tool_ ? tool_options_ : options_; }

    // The option whose value the last word is, if it is one.
    Taken read_before() {
        for (size_t i = 0; i < last_; i++) {
            const std::string &word = words_[i];
            if (word == "--" && !ends_) {
                ends_ = true;
            } else if (!ends_ && word.size() > 1 && word.starts_with('-')) {
                Taken taken = take(options(), word);
                if (taken.wants_next && i + 1 == last_) return taken;
                if (taken.wants_next) taken.value = words_[++i];
                if (!tool_ && taken.option) note(taken);
            } else {
                take_plain(word);
            }
        }
        return {};
    }

    void note(const Taken &taken) {
        const std::string value = taken.value.value_or("");
        if (taken.name == "-I") result_.include_dirs.push_back(value);
        if (taken.name == "-r") result_.release = value;
        if (taken.name == "--cost") cost_ = true;
        if (taken.name == "-e" || taken.name == "-l" || taken.name == "-L") has_script_ = true;
        if (taken.name == "-e") load(tool::script_of_text(value, ignored_));
    }

    void load(std::shared_ptr<const tool::Script> script) {
        if (!script) return;
        tool_ = std::move(script);
        tool_options_ = tool_options_of(tool_->head);
    }

    void take_plain(const std::string &word) {
        if (tool_) {
            place_++;
        } else if (has_script_) {
            return;
        } else if (word == "run" && !runs_) {
            runs_ = true;
        } else {
            has_script_ = true;
            std::string path = word;
            const bool named = (runs_ || (cost_ && access(word.c_str(), F_OK) != 0)) && word.find('/') == word.npos;
            if (named) path = tool::find_tool(word, directories());
            if (!path.empty()) load(tool::load_script(path, ignored_));
        }
    }

    std::vector<std::string> directories() const {
        std::vector<std::string> all = result_.include_dirs;
        all.insert(all.end(), tools_.begin(), tools_.end());
        return all;
    }

    void add_tools() {
        for (const auto &script : tool::list_tools(directories())) {
            result_.words.push_back({script->head.name, script->head.question});
            for (const std::string &alias : script->head.aliases)
                if (!words_[last_].empty()) result_.words.push_back({alias, script->head.question});
        }
    }

    void add_values(const OptionWord &option, const std::string &prefix, const std::string &value) {
        result_.prefix = prefix;
        result_.value = value;
        result_.fill = option.fill;
        for (const std::string &choice : option.choices)
            result_.words.push_back({prefix + choice, ""});
        if (option.names.back() == "--sign-key") result_.words.push_back({prefix + "none", "do not sign"});
    }

    void add_options() {
        for (const OptionWord &option : options())
            for (const std::string &name : option.names) {
                const bool value = !option.metavar.empty() && !option.may_lack && name.starts_with("--");
                result_.words.push_back({name + (value ? "=" : ""), option.help});
            }
        // The forms with a value that may lack are seen when the name is whole.
        for (const OptionWord &option : options())
            if (option.may_lack && option.names.back() == words_[last_])
                result_.words.push_back({words_[last_] + "=", option.help});
    }

    void add_positional() {
        size_t number = 0;
        const tool::Option *found = nullptr;
        for (const tool::Option &option : tool_->head.options) {
            if (!option.positional) continue;
            if (number++ == place_ || option.repeated) found = &option;
            if (number > place_) break;
        }
        if (!found) {
            if (tool_->head.takes_arguments) result_.fill = Fill::Files;
            return;
        }
        for (const std::string &choice : found->choices)
            result_.words.push_back({choice, found->help});
        const tool::Values values = tool::values_of(*found);
        if (values == tool::Values::Files) result_.fill = Fill::Files;
        if (values == tool::Values::Pids) result_.fill = Fill::Processes;
        if (found->type == tool::Type::Points) result_.fill = Fill::Points;
    }

    void complete_last() {
        const std::string &last = words_[last_];
        result_.value = last;
        if (!ends_ && last.starts_with('-')) {
            const Taken taken = take(options(), last);
            if (taken.option && taken.value) {
                add_values(*taken.option, taken.prefix, *taken.value);
                return;
            }
            add_options();
            return;
        }
        if (tool_) {
            add_positional();
            return;
        }
        result_.fill = Fill::Files;
        if (has_script_) return;
        if (runs_ || cost_) add_tools();
        if (runs_ && last.find('/') == last.npos) result_.fill = Fill::Nothing;
        if (runs_) return;
        result_.words.push_back({"run", "run a tool; without a name, list all"});
        if (last_ > 0) return;
        result_.words.push_back({"report", "make reports and pictures of captures"});
        result_.words.push_back({"watch", "run tools as sessions that follow each other"});
    }

    const std::vector<std::string> &words_;
    const size_t last_;
    const std::vector<std::string> &tools_;
    const std::vector<OptionWord> options_;
    std::vector<OptionWord> tool_options_;
    std::shared_ptr<const tool::Script> tool_;
    Diagnostics ignored_;
    bool runs_ = false, cost_ = false, has_script_ = false, ends_ = false;
    size_t place_ = 0;  // plain words of the tool
    ShellCompletion result_;
};

}  // namespace

void keep_beginning(std::vector<ShellWord> &words, const std::string &typed) {
    std::erase_if(words, [&](const ShellWord &word) { return !word.word.starts_with(typed); });
}

ShellCompletion complete_words(const std::vector<std::string> &words, const std::vector<std::string> &tools) {
    return Reader(words, tools).run();
}

}  // namespace tapir::driver
