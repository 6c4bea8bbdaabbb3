// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/words.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <iterator>
#include <optional>

#include "base/help.h"
#include "base/name_patterns.h"
#include "base/option_error.h"
#include "tool/driver_options.h"

namespace tapir::tool {
namespace {

namespace po = boost::program_options;

// Boost's name for the words that belong to no option. No option can have it.
constexpr const char *kWords = "<words>";

class WordReader {
  public:
    WordReader(const Head &head, Diagnostics &diagnostics) : head_(head), diagnostics_(diagnostics) {
        for (const Option &option : head.options)
            if (!option.positional) describe(option);
        for (const DriverOption &option : driver_options())
            describe(option);
        described_.add_options()(",x", po::value<std::string>());
        described_.add_options()(kWords, po::value<std::vector<std::string>>());
    }

    Words read(const std::vector<std::string> &words, const GivenValues &given) {
        const size_t before = diagnostics_.error_count();
        try {
            for (const po::option &option : parse(words).options)
                take(option);
        } catch (const po::unknown_option &error) {
            report_unknown(error.get_option_name());
            return std::move(result_);
        } catch (const po::error &error) {
            usage({}, option_error_text(error) + ".");
            return std::move(result_);
        }
        if (result_.ask != Ask::Run || diagnostics_.error_count() != before) return std::move(result_);
        place_words();
        add_given(given);
        check_required();
        return std::move(result_);
    }

  private:
    static std::string names(const std::string &long_name, char letter) {
        return letter ? long_name + "," + letter : long_name;
    }

    void describe(const Option &option) {
        const std::string name = option.long_name().substr(2);
        by_name_[name] = &option;
        if (option.type != Type::Flag) {
            described_.add_options()(names(name, option.letter).c_str(), po::value<std::string>());
            return;
        }
        by_name_["no-" + name] = &option;
        described_.add_options()(names(name, option.letter).c_str(), "");
        described_.add_options()(("no-" + name).c_str(), "");
    }

    void describe(const DriverOption &option) {
        const std::string name = names(std::string(option.name), option.letter);
        if (option.metavar.empty())
            described_.add_options()(name.c_str(), "");
        else
            described_.add_options()(name.c_str(), po::value<std::string>());
    }

    po::parsed_options parse(std::vector<std::string> words) const {
        // Boost would take the next word for a value that may be left out.
        for (std::string &word : words) {
            if (word == "--") break;
            for (const DriverOption &option : driver_options())
                if (option.metavar.starts_with('[') && word == "--" + std::string(option.name))
                    word += "=" + left_out(option);
        }
        po::positional_options_description positional;
        positional.add(kWords, -1);
        po::command_line_parser parser(words);
        parser.options(described_).positional(positional);
        return parser.style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing).run();
    }

    // A place follows a message without its full stop.
    Diagnostic &usage(const SourceRef &at, std::string message, std::string help = {}) {
        if (at && message.ends_with('.')) message.pop_back();
        return add_help(diagnostics_.report(Tag::UsageError, at, std::move(message)), std::move(help));
    }

    void report_unknown(std::string token) {
        token.resize(std::min(token.find('='), token.size()));
        std::vector<std::string> known;
        for (const auto &option : described_.options())
            if (const std::string &name = option->long_name(); name.size() > 1 && name[0] != '-' && name != kWords)
                known.push_back("--" + name);
        // Names are not abbreviated: what "--min" means would change with the next option.
        std::vector<std::string> near;
        std::copy_if(known.begin(), known.end(), std::back_inserter(near),
                     [&](const std::string &name) { return token.size() > 3 && name.starts_with(token); });
        if (near.empty()) near = similar_names(token, known);
        usage({}, head_.name + " has no option '" + token + "'" + similar_text(near) + ".",
              head_.name + " --help lists its options; those of stap stand before the script's name");
    }

    void take(const po::option &option) {
        const std::string value = option.value.empty() ? "" : option.value.front();
        if (option.position_key >= 0 || option.string_key == kWords) {
            words_.push_back(value);
            return;
        }
        if (const auto own = by_name_.find(option.string_key); own != by_name_.end()) {
            const Option &wanted = *own->second;
            const std::string name = "--" + option.string_key;
            take_value(
                wanted, name,
                wanted.type == Type::Flag ? (option.string_key == wanted.long_name().substr(2) ? "1" : "0") : value);
            return;
        }
        take_driver(option.string_key == "-x" ? "pid" : option.string_key, value);
    }

    // Nothing, after a report, if the text is no value.
    std::optional<std::string> checked_value(const Option &option, const std::string &shown, const std::string &text) {
        Outcome<std::string> value = read_value(option, text);
        if (value) return std::move(*value);
        usage(option.at, "Invalid value '" + text + "' " + (option.positional ? "of " : "for ") + shown + ": " +
                             value.fault().text + ".");
        return std::nullopt;
    }

    void add_given(const GivenValues &given) {
        for (const auto &[spelling, text] : given) {
            std::string name = spelling;
            std::replace(name.begin(), name.end(), '-', '_');
            const Option *option = head_.find(name);
            if (!option) {
                std::vector<std::string> names;
                for (const Option &known : head_.options)
                    names.push_back(known.name);
                usage({}, head_.name + " has no option '" + spelling + "'" + similar_text(similar_names(name, names)) +
                              " (--option).");
            } else if (const auto value = checked_value(*option, option->long_name(), text)) {
                result_.values.try_emplace(name, *value);
            }
        }
    }

    // `shown` is how the user named it.
    void take_value(const Option &option, const std::string &shown, const std::string &text) {
        const std::optional<std::string> value = checked_value(option, shown, text);
        if (!value) return;
        const auto [place, fresh] = result_.values.try_emplace(option.name, *value);
        if (fresh) return;
        if (option.repeated)
            place->second += "," + *value;
        else if (place->second != *value)
            usage(option.at,
                  "Option " + shown + " is given twice, with the values '" + place->second + "' and '" + *value + "'.");
    }

    void take_driver(const std::string &name, const std::string &value) {
        static const std::map<std::string, Ask> asks = {
            {"help", Ask::Help}, {"man", Ask::Man}, {"completion", Ask::Completion}, {"describe", Ask::Describe}};
        const auto ask = asks.find(name);
        if (ask == asks.end()) {
            result_.driver.emplace_back(name, value);
            return;
        }
        if (result_.ask == Ask::Run) result_.ask = ask->second;
        if (ask->second != Ask::Completion) return;
        result_.shell = value;
        if (value != "bash" && value != "zsh" && value != "fish")
            usage({}, "There is no completion for '" + value + "' (--completion): shells are bash, zsh and fish.");
    }

    void place_words() {
        auto option = head_.options.begin();
        for (const std::string &word : words_) {
            option = std::find_if(option, head_.options.end(), [](const Option &o) { return o.positional; });
            if (option == head_.options.end()) {
                if (head_.takes_arguments) {
                    result_.arguments.push_back(word);
                    continue;
                }
                usage({}, head_.name + " has no use for the word '" + word + "'.",
                      head_.name + " --help says what it takes");
                return;
            }
            take_value(*option, "<" + option->metavar + ">", word);
            if (!option->repeated) ++option;
        }
    }

    void check_required() {
        for (const Option &option : head_.options)
            if (option.required && !result_.values.contains(option.name))
                usage(option.at,
                      option.positional
                          ? head_.name + " needs a word: " + option.metavar + " (" + option.help + ")."
                          : head_.name + " needs the option " + option.long_name() + " (" + option.help + ").");
    }

    const Head &head_;
    Diagnostics &diagnostics_;
    po::options_description described_;
    std::map<std::string, const Option *> by_name_;
    Words result_;
    std::vector<std::string> words_;
};

}  // namespace

Words read_words(const Head &head, const std::vector<std::string> &words, const GivenValues &given,
                 Diagnostics &diagnostics) {
    return WordReader(head, diagnostics).read(words, given);
}

}  // namespace tapir::tool
