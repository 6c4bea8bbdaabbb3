// SPDX-License-Identifier: GPL-2.0-or-later
#include "options/script_words.h"

#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cctype>
#include <functional>
#include <sstream>

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/files.h"
#include "options/option_table.h"

namespace tapir::driver {
namespace {

namespace po = boost::program_options;

constexpr size_t kNone = SIZE_MAX;
constexpr std::string_view kCost = "--cost";

bool may_be_tool_name(const std::string &word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c == '-';
    }) && word.front() != '-';
}

bool asks_cost(const std::vector<std::string> &words) {
    return std::find(words.begin(), words.end(), kCost) != words.end();
}

// Calls `found` with the index of each word that is neither an option nor the value of one, until it returns true.
// Returns that index, or kNone. Stops without a word at what is no option: that is reported when all is read.
size_t find_word(const std::vector<std::string> &words, const std::function<bool(size_t)> &found) {
    size_t at = kNone;
    // Boost also asks whether the value of an option could be an option, with a list of its own.
    const std::vector<std::string> *all = nullptr;
    const auto look = [&](std::vector<std::string> &rest) {
        if (!all) all = &rest;
        if (rest.empty() || &rest != all) return std::vector<po::option>();
        const size_t index = words.size() - rest.size();
        const bool plain = !rest.front().starts_with('-') || rest.front() == "-";
        if (!plain && rest.front() != "--") return std::vector<po::option>();
        if (rest.front() == "--" && index + 1 == words.size()) return std::vector<po::option>();
        const size_t word = plain ? index : index + 1;
        if (found(word)) {
            at = word;
            rest.clear();
        } else {
            rest.erase(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(word + 1 - index));
        }
        return std::vector<po::option>();
    };
    try {
        read_words(words, look);
    } catch (const po::error &) {
    }
    return at;
}

// The script of -e, and the index behind it.
struct Text {
    std::string script;
    size_t end = kNone;
};
Text find_text(const std::vector<std::string> &words) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        if (word == "--") break;
        const bool apart = word == "-e" && i + 1 < words.size();
        if (!apart && (!word.starts_with("-e") || word.size() == 2)) continue;
        // The words up to here have to be options with their values, of which this is the last one.
        try {
            const po::parsed_options parsed =
                parse_words({words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i + (apart ? 2 : 1))});
            if (parsed.options.empty() || parsed.options.back().string_key != "-e") continue;
            return {parsed.options.back().value.front(), i + (apart ? 2 : 1)};
        } catch (const po::error &) {
        }
    }
    return {};
}

// False if it is plain that no word is a tool, so that the options need not be read twice.
bool may_have_tool(const std::vector<std::string> &words) {
    return std::any_of(words.begin(), words.end(), [](const std::string &word) {
        if (word == "run" || word == kCost || tool::has_head(word)) return true;
        std::string text;
        return !word.starts_with('-') && read_file(word.c_str(), tool::kMostText, text) == 0 && tool::has_head(text);
    });
}

std::vector<std::string> include_dirs(const std::vector<std::string> &words) {
    std::vector<std::string> directories;
    try {
        for (const po::option &option : parse_words(words).options)
            if (option.string_key == "-I") directories.push_back(option.value.front());
    } catch (const po::error &) {
    }
    return directories;
}

// The limits (-DNAME=VALUE) that a tool's first line, "#!/usr/bin/env -S stap -DNAME=VALUE", has for every run of it.
std::vector<std::string> limits_of(const tool::Script &tool) {
    const std::string_view text = tool.file->text();
    std::vector<std::string> limits;
    if (!text.starts_with("#!")) return limits;
    std::istringstream words{std::string(text.substr(2, text.find('\n') - 2))};
    for (std::string word; words >> word;)
        if (word.starts_with("-D")) limits.push_back(word);
    return limits;
}

void report_no_tool(const std::string &name, const std::vector<std::string> &directories, Diagnostics &diagnostics) {
    std::vector<std::string> names;
    for (const auto &script : tool::list_tools(directories)) {
        names.push_back(script->head.name);
        names.insert(names.end(), script->head.aliases.begin(), script->head.aliases.end());
    }
    add_help(diagnostics.report(Tag::UsageError,
                                "There is no tool '" + name + "'" + similar_text(similar_names(name, names)) + "."),
             access((name + ".stp").c_str(), F_OK) == 0
                 ? "the script here is run by its path: stap " + name + ".stp, or stap run ./" + name + ".stp"
                 : "stap run lists the tools; a script of that name is ./" + name);
}

}  // namespace

ScriptWords split_at_script(const std::vector<std::string> &words, const std::vector<std::string> &directories,
                            Diagnostics &diagnostics) {
    ScriptWords split;
    split.own = words;
    if (!may_have_tool(words)) return split;
    const Text text = find_text(words);
    size_t run = kNone;
    const size_t script = find_word(words, [&](size_t index) {
        if (text.end <= index || run != kNone || words[index] != "run") return true;
        run = index;
        return false;
    });
    const auto upto = [&](size_t end) {
        std::vector<std::string> own(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(end));
        if (run < end) own.erase(own.begin() + static_cast<std::ptrdiff_t>(run));
        if (!own.empty() && own.back() == "--") own.pop_back();
        return own;
    };
    const auto behind = [&](size_t begin) {
        return std::vector<std::string>(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
    };
    if (text.end != kNone && (script == kNone || text.end <= script)) {
        split.tool = tool::script_of_text(text.script, diagnostics);
        if (split.tool) split.own = upto(text.end), split.words = behind(text.end);
        return split;
    }
    split.runs = run != kNone;
    if (script == kNone) {
        split.own = upto(words.size());
        return split;
    }
    std::string path = words[script];
    // stap --cost NAME means a tool, unless there is a file of the name.
    const bool named =
        !split.runs && asks_cost(upto(script)) && may_be_tool_name(path) && access(path.c_str(), F_OK) != 0;
    if (split.runs || named) {
        split.name = path;
        std::vector<std::string> all = include_dirs(upto(script));
        all.insert(all.end(), directories.begin(), directories.end());
        if (path.find('/') == std::string::npos) path = tool::find_tool(split.name, all);
        if (path.empty()) {
            report_no_tool(split.name, all, diagnostics);
            return split;
        }
    }
    split.tool = tool::load_script(path, diagnostics);
    if (!split.tool && !split.runs) return split;
    split.own = upto(script);
    if (split.tool) {
        const std::vector<std::string> limits = limits_of(*split.tool);
        split.own.insert(split.own.begin(), limits.begin(), limits.end());
        split.words = behind(script + 1);
        // Behind "--" nothing is an option, not of a tool either: a build server relies on it.
        if (script > 0 && words[script - 1] == "--") split.words.insert(split.words.begin(), "--");
    } else {
        split.own.push_back(path);
        const std::vector<std::string> rest = behind(script + 1);
        split.own.insert(split.own.end(), rest.begin(), rest.end());
    }
    return split;
}

}  // namespace tapir::driver
