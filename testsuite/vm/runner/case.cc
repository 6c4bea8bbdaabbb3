// SPDX-License-Identifier: GPL-2.0-or-later
#include "case.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace fs = std::filesystem;

namespace tapir::guest_tests {
namespace {

std::string trimmed(const std::string &text) {
    size_t start = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
    return start == std::string::npos ? "" : text.substr(start, end - start + 1);
}

std::vector<std::string> words_of(const std::string &text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

template <typename T>
std::string to_number(const std::string &text, T &value) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? "" : "'" + text + "' is not a number";
}

std::string to_regex(const std::string &pattern) {
    try {
        std::regex test(pattern, std::regex::extended);
    } catch (const std::regex_error &error) {
        return "'" + pattern + "': " + error.what();
    }
    return "";
}

// One "#: key: value" line. Returns "" or what is wrong.
std::string apply(const std::string &key, const std::string &value, Case &test) {
    auto add_match = [&](std::vector<Match> &list, Match::Kind kind) {
        list.push_back({kind, value});
        return to_regex(value);
    };
    if (key == "stap") return test.stap_options = value, "";
    if (key == "script-args") return test.script_arguments = value, "";
    if (key == "args") return test.staprun_arguments = value, "";
    if (key == "scripts") return test.scripts = words_of(value), "";
    if (key == "host") return test.host.push_back(value), "";
    if (key == "setup") return test.setup.push_back(value), "";
    if (key == "workload") return test.workload.push_back(value), "";
    if (key == "check") return test.check.push_back(value), "";
    if (key == "requires" && value.starts_with("debug-info")) {
        test.debug_modules = words_of(value);
        test.debug_modules.erase(test.debug_modules.begin());
        return test.needs_debug_info = true, "";
    }
    if (key == "requires" && value.starts_with("point ")) return test.points.push_back(value.substr(6)), "";
    if (key == "requires") return test.requirements.push_back(value), "";
    if (key == "allow-log") return test.allowed_log.push_back(value), to_regex(value);
    if (key == "stdout") return add_match(test.out, Match::Kind::Contains);
    if (key == "no-stdout") return add_match(test.out, Match::Kind::Lacks);
    if (key == "stderr") return add_match(test.err, Match::Kind::Contains);
    if (key == "no-stderr") return add_match(test.err, Match::Kind::Lacks);
    if (key == "exit") return to_number(value, test.status);
    if (key == "timeout") return to_number(value, test.timeout_s);
    if (key == "cpus") return to_number(value, test.cpus);
    if (key == "append") return test.append = value, "";
    if (key == "long") return test.takes_long = value, value.empty() ? "'long' needs a reason" : "";
    if (key == "records" && value.starts_with("no, ")) return test.records = Case::Records::No, "";
    if (key == "records" && value == "also") return test.records = Case::Records::Also, "";
    if (key == "expect" && value == "crash") return test.expect_crash = true, "";
    return "unknown directive '" + key + ": " + value + "'";
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

bool any_line_matches(const std::vector<std::string> &lines, const std::string &pattern) {
    std::regex expression(pattern, std::regex::extended);
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string &line) { return std::regex_search(line, expression); });
}

std::string compare_matches(const char *stream, const std::vector<Match> &matches, const std::string &text) {
    std::string complaints;
    std::vector<std::string> lines = lines_of(text);
    for (const Match &match : matches) {
        bool wanted = match.kind == Match::Kind::Contains;
        if (any_line_matches(lines, match.pattern) == wanted) continue;
        complaints += std::string(stream) + (wanted ? " has no line that matches: " : " has a line that matches: ") +
                      match.pattern + "\n";
    }
    return complaints;
}

std::string compare_exactly(const char *stream, const std::string &expected, const std::string &actual) {
    if (expected == actual) return "";
    std::vector<std::string> want = lines_of(expected), have = lines_of(actual);
    for (size_t i = 0; i < std::max(want.size(), have.size()); ++i) {
        std::string w = i < want.size() ? "'" + want[i] + "'" : "nothing",
                    h = i < have.size() ? "'" + have[i] + "'" : "nothing";
        if (w != h)
            return std::string(stream) + " differs in line " + std::to_string(i + 1) + ": expected " + w + ", got " +
                   h + "\n";
    }
    return std::string(stream) + " differs in its last newline\n";
}

// Without the warnings of sessions whose probes take much of a processor: an emulated one is slow at some.
std::string without_overload(const std::string &text) {
    std::string rest;
    for (size_t begin = 0, end; begin < text.size(); begin = end) {
        end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        if (!line.starts_with("WARNING: probes take ")) rest += line;
    }
    return rest;
}

// Whether FILTER is the whole AREA/NAME of a case.
bool names_case(const std::string &root, const std::string &filter) {
    const std::string path = root + "/" + filter;
    return filter.find('/') != std::string::npos && (fs::exists(path + ".stp") || fs::exists(path + ".sh"));
}

}  // namespace

std::string read_case(const std::string &area, const std::string &path, Case &result) {
    fs::path file = path;
    result.area = area;
    result.name = file.stem();
    result.path = path;
    result.is_script = file.extension() == ".stp";
    std::ifstream in(path);
    std::string line, problem;
    while (problem.empty() && std::getline(in, line)) {
        if (!line.starts_with("#:") && !line.starts_with("//:")) continue;
        std::string statement = line.substr(line.find(':') + 1);
        size_t colon = statement.find(':');
        std::string key = trimmed(statement.substr(0, colon));
        problem = apply(key, colon == std::string::npos ? "" : trimmed(statement.substr(colon + 1)), result);
    }
    return problem.empty() ? "" : result.id() + ": " + problem;
}

std::vector<Case> find_cases(const std::string &root, const std::vector<std::string> &filters,
                             std::vector<std::string> &errors) {
    std::vector<Case> cases;
    for (const fs::directory_entry &area : fs::directory_iterator(root)) {
        if (!area.is_directory()) continue;
        for (const fs::directory_entry &file : fs::directory_iterator(area)) {
            std::string extension = file.path().extension();
            // A leading underscore marks what cases share.
            if ((extension != ".stp" && extension != ".sh") || file.path().filename().string()[0] == '_') continue;
            Case test;
            std::string problem = read_case(area.path().filename(), file.path(), test);
            auto selects = [&](const std::string &filter) {
                return names_case(root, filter) ? test.id() == filter : test.id().find(filter) != std::string::npos;
            };
            if (!filters.empty() && std::none_of(filters.begin(), filters.end(), selects)) continue;
            if (problem.empty())
                cases.push_back(test);
            else
                errors.push_back(problem);
        }
    }
    std::sort(cases.begin(), cases.end(), [](const Case &a, const Case &b) { return a.id() < b.id(); });
    return cases;
}

std::string expected_text(const Case &test, const char *extension, bool &present) {
    std::ifstream in(fs::path(test.path).replace_extension(extension), std::ios::binary);
    present = static_cast<bool>(in);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    return text.str();
}

std::string compare_outputs(const Case &test, int status, const std::string *out, const std::string &err) {
    std::string complaints;
    if (status != test.status)
        complaints += "exit status " + std::to_string(status) + ", expected " + std::to_string(test.status) + "\n";
    bool exact;
    std::string expected = expected_text(test, ".out", exact);
    if (exact && out) complaints += compare_exactly("stdout", expected, *out);
    if (out) complaints += compare_matches("stdout", test.out, *out);
    expected = expected_text(test, ".err", exact);
    // Unexpected messages of a script on stderr always count.
    if (exact)
        complaints += compare_exactly("stderr", expected, err);
    else if (test.is_script && test.err.empty())
        complaints += compare_exactly("stderr", "", without_overload(err));
    return complaints + compare_matches("stderr", test.err, err);
}

}  // namespace tapir::guest_tests
