// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/script_settings.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "common/files.h"
#include "common/plain_text.h"
#include "trust/tokens.h"

namespace tapir::exporter {

namespace fs = std::filesystem;

namespace {

Fault wrong(int line, const std::string &why) {
    return {FaultTag::BadConfiguration, "line " + std::to_string(line) + ": " + why};
}

// Options that are for people, or that the exporter sets itself.
bool is_refused(std::string_view option) {
    constexpr std::string_view kRefused[] = {"--format", "--metrics", "--refresh",  "--monitor", "--top", "--remote",
                                             "--push",   "--core",    "--snapshot", "-F",        "-o",    "-p"};
    return std::ranges::any_of(kRefused, [&](std::string_view one) {
        return option.starts_with(one) && (one[1] != '-' || option.size() == one.size() || option[one.size()] == '=');
    });
}

struct Lines {
    std::string script, tool;
    std::vector<std::string> options, arguments;
};

Outcome<void> take_line(const std::string &line, int number, Lines &lines, ScriptSettings &out) {
    const size_t equals = std::min(line.find('='), line.size());
    const std::string name = line.substr(0, equals), value = line.substr(std::min(equals + 1, line.size()));
    if (name == "script") {
        if (value.empty() || value[0] != '/') return wrong(number, "script= takes an absolute path");
        lines.script = value;
    } else if (name == "tool") {
        if (!trust::is_plain_name(value)) return wrong(number, "tool= takes the name of a tool");
        lines.tool = value;
    } else if (name == "option") {
        if (value.empty() || value[0] != '-') return wrong(number, "option= takes an option of stap");
        if (is_refused(value)) return wrong(number, "'" + value + "' is no option for a script of the exporter");
        lines.options.push_back(value);
    } else if (name == "argument") {
        if (is_refused(value)) return wrong(number, "'" + value + "' is no option for a script of the exporter");
        lines.arguments.push_back(value);
    } else if (name == "start") {
        if (value != "demand" && value != "boot") return wrong(number, "start= takes 'demand' or 'boot'");
        out.at_start = value == "boot";
    } else if (name == "series") {
        uint64_t series = 0;
        if (!parse_unsigned(value, series) || series < 1 || series > kMostSeries)
            return wrong(number, "series= takes 1 to " + std::to_string(kMostSeries));
        out.series = series;
    } else {
        return wrong(number,
                     "'" + name + "' is no setting: script=, tool=, option=, argument=, start= and series= are");
    }
    return {};
}

}  // namespace

Outcome<ScriptSettings> parse_settings(const std::string &name, std::string_view text) {
    ScriptSettings settings;
    settings.name = name;
    Lines lines;
    std::istringstream stream{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
        number++;
        if (line.empty() || line[0] == '#') continue;
        if (Outcome<void> taken = take_line(line, number, lines, settings); !taken) return taken.fault();
    }
    if (lines.script.empty() == lines.tool.empty())
        return Fault{FaultTag::BadConfiguration, "it takes either script= or tool="};
    settings.script = lines.script;
    // Options of stap stand in front of a script; a tool takes them like its own.
    if (lines.tool.empty()) {
        settings.words = lines.options;
        settings.words.push_back(lines.script);
    } else {
        settings.words = {"run", lines.tool};
        settings.words.insert(settings.words.end(), lines.options.begin(), lines.options.end());
    }
    settings.words.insert(settings.words.end(), lines.arguments.begin(), lines.arguments.end());
    return settings;
}

Outcome<std::vector<ScriptSettings>> read_folder(const std::string &folder,
                                                 const std::function<void(const std::string &)> &complain) {
    std::error_code error;
    std::vector<fs::path> paths;
    for (const auto &entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".conf") paths.push_back(entry.path());
    if (error) return Fault{FaultTag::BadConfiguration, "cannot read the folder '" + folder + "': " + error.message()};
    std::ranges::sort(paths);
    std::vector<ScriptSettings> all;
    std::map<std::string, std::string> names;  // as they stand in those of metrics
    for (const fs::path &path : paths) {
        const std::string name = path.stem();
        const std::optional<std::string> text = read_file(path);
        std::string in_metrics = name;
        std::ranges::replace_if(
            in_metrics, [](unsigned char c) { return !std::isalnum(c); }, '_');
        if (!trust::is_plain_name(name)) {
            complain(path.string() + ": the name is not plain: letters, digits and '._+~-'");
        } else if (!text) {
            complain(path.string() + ": cannot be read");
        } else if (const auto [other, is_new] = names.emplace(in_metrics, name); !is_new) {
            complain(path.string() + ": its metrics would have the names of those of " + other->second + ".conf");
        } else if (Outcome<ScriptSettings> settings = parse_settings(name, *text); settings) {
            all.push_back(*std::move(settings));
        } else {
            complain(path.string() + ": " + settings.fault().message());
        }
    }
    return all;
}

}  // namespace tapir::exporter
