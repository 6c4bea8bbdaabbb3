// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/script.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "common/files.h"
#include "common/glyphs.h"
#include "common/quoting.h"
#include "common/regular_file.h"

namespace tapir::tool {
namespace {

// The paragraphs of the comment that a script begins with. The lines of the interpreter and of the licence are none.
std::vector<std::string> first_comment(std::string_view text) {
    std::vector<std::string> paragraphs;
    bool inside = false;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.starts_with("#!") || line.find("SPDX-License-Identifier") != line.npos) continue;
        const size_t mark = line.starts_with("//") ? 2 : line.starts_with("#") ? 1 : 0;
        if (!mark) break;
        line = trim(line.substr(mark));
        if (!inside && !line.empty()) paragraphs.emplace_back();
        if (!line.empty()) paragraphs.back() += (paragraphs.back().empty() ? "" : " ") + std::string(line);
        inside = !line.empty();
    }
    return paragraphs;
}

std::shared_ptr<Script> make_script(std::string path, std::string name, std::string text, Origin origin,
                                    Diagnostics &diagnostics) {
    if (!has_head(text)) return nullptr;
    auto script = std::make_shared<Script>();
    script->path = std::move(path);
    script->file = std::make_unique<SourceFile>(std::move(name), std::move(text), origin);
    std::optional<Head> head = read_head(*script->file, diagnostics);
    if (!head) return nullptr;
    script->head = std::move(*head);
    script->head.description = first_comment(script->file->text());
    return script;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

bool has_word(const Head &head, const std::string &word) {
    std::string text = head.name + "\n" + head.group + "\n" + head.question;
    for (const std::string &alias : head.aliases)
        text += "\n" + alias;
    return lower(text).find(lower(word)) != std::string::npos;
}

// The directory itself, and its groups: directories of tools, by name.
std::vector<std::string> with_groups(const std::string &directory) {
    std::vector<std::string> places;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(directory, error))
        if (entry.is_directory(error)) places.push_back(entry.path());
    std::sort(places.begin(), places.end());
    places.insert(places.begin(), directory);
    return places;
}

std::vector<std::string> with_groups(const std::vector<std::string> &directories) {
    std::vector<std::string> places;
    for (const std::string &directory : directories)
        for (std::string &place : with_groups(directory))
            places.push_back(std::move(place));
    return places;
}

// The tools of one directory without faults in their heads, by the names of their files. Those without `word` in their
// texts are not read further.
std::vector<std::shared_ptr<const Script>> tools_in(const std::string &directory, const std::string &word = {}) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(directory, error))
        if (entry.path().extension() == ".stp") paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::shared_ptr<const Script>> tools;
    for (const std::string &path : paths) {
        std::string text;
        if (!word.empty() && (read_file(path.c_str(), kMostText, text) != 0 || text.find(word) == text.npos)) continue;
        Diagnostics unheard;
        std::shared_ptr<const Script> script = load_script(path, unheard);
        if (script && script->head.at && !unheard.has_errors()) tools.push_back(std::move(script));
    }
    return tools;
}

}  // namespace

bool has_head(std::string_view text) {
    return text.find("@tool") != std::string_view::npos || text.find("@option") != std::string_view::npos;
}

std::shared_ptr<const Script> load_script(const std::string &path, Diagnostics &diagnostics) {
    std::string text;
    if (path == "-" || read_file(path.c_str(), kMostText, text) != 0) return nullptr;
    std::shared_ptr<Script> script = make_script(path, path, std::move(text), Origin::UserScript, diagnostics);
    const std::string output = std::filesystem::path(path).replace_extension(".txt");
    if (script && read_file(output.c_str(), kMostText, script->head.output) != 0) script->head.output.clear();
    return script;
}

std::shared_ptr<const Script> script_of_text(const std::string &text, Diagnostics &diagnostics) {
    return make_script("", "<input>", text, Origin::CommandLine, diagnostics);
}

std::vector<std::shared_ptr<const Script>> list_tools(const std::vector<std::string> &directories) {
    std::map<std::string, std::shared_ptr<const Script>> tools;
    for (const std::string &directory : with_groups(directories))
        for (auto &script : tools_in(directory))
            tools.try_emplace(script->head.name, script);
    std::vector<std::shared_ptr<const Script>> list;
    for (auto &[name, script] : tools)
        list.push_back(std::move(script));
    return list;
}

std::string find_tool(const std::string &name, const std::vector<std::string> &directories) {
    std::vector<std::shared_ptr<const Script>> others;
    for (const std::string &directory : directories) {
        const std::vector<std::string> places = with_groups(directory);
        for (const std::string &place : places) {
            std::string path = place + "/" + name + ".stp";
            std::error_code error;
            if (std::filesystem::is_regular_file(path, error)) return path;
        }
        for (const std::string &place : places)
            for (auto &script : tools_in(place, name)) {
                if (script->head.name == name) return script->path;
                if (std::ranges::find(script->head.aliases, name) != script->head.aliases.end())
                    others.push_back(std::move(script));
            }
    }
    // A tool of an earlier directory hides those of its name.
    for (const auto &script : others)
        if (find_tool(script->head.name, directories) == script->path) return script->path;
    return {};
}

std::string list_text(const std::vector<std::shared_ptr<const Script>> &tools, const std::string &word, size_t width) {
    std::vector<std::string> groups;
    size_t name_width = 0;
    for (const auto &tool : tools) {
        if (!has_word(tool->head, word)) continue;
        if (std::find(groups.begin(), groups.end(), tool->head.group) == groups.end())
            groups.push_back(tool->head.group);
        name_width = std::max(name_width, columns(tool->head.name));
    }
    std::sort(groups.begin(), groups.end());
    std::string out;
    for (const std::string &group : groups) {
        out += (out.empty() ? "" : "\n") + (group.empty() ? "Others" : group) + "\n";
        for (const auto &tool : tools) {
            const Head &head = tool->head;
            if (head.group != group || !has_word(head, word)) continue;
            std::string question = head.question;
            if (!head.aliases.empty()) {
                question += " (";
                for (const std::string &alias : head.aliases)
                    question += (question.ends_with('(') ? "" : ", ") + alias;
                question += ")";
            }
            const size_t hang = name_width + 4;
            std::string line = "  " + head.name + std::string(name_width + 2 - columns(head.name), ' ');
            for (const std::string &text : wrapped(question, {.width = width, .begin = hang, .hang = hang})) {
                out += line + text + "\n";
                line.assign(hang, ' ');
            }
        }
    }
    return out;
}

}  // namespace tapir::tool
