// SPDX-License-Identifier: GPL-2.0-or-later
#include "rows.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include "examples.h"

namespace tapir::language {

namespace fs = std::filesystem;

namespace {

std::string read(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

Rows read_rows(const std::string &text) {
    Rows out;
    std::set<std::string> seen;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        if (line.empty() || line[0] == '#') continue;
        size_t first = line.find('\t'), second = first == std::string::npos ? first : line.find('\t', first + 1);
        if (second == std::string::npos || line.find('\t', second + 1) != std::string::npos) {
            out.mistakes.push_back(std::to_string(number) + ": not three columns");
            continue;
        }
        Row row;
        row.section = line.substr(0, first);
        row.feature = line.substr(first + 1, second - first - 1);
        if (!seen.insert(line.substr(0, second)).second)
            out.mistakes.push_back(std::to_string(number) + ": listed twice");
        std::string tests = line.substr(second + 1);
        if (tests.rfind("- ", 0) == 0) {
            row.reason = tests.substr(2);
        } else {
            std::istringstream words(tests);
            row.tests.assign(std::istream_iterator<std::string>(words), {});
        }
        out.rows.push_back(std::move(row));
    }
    return out;
}

Rows read_reference(const std::string &page) {
    const std::regex form(R"(\| ([0-9.]+) \| (.+) \| (yes|no) \| (.+) \|)"), quoted("`([^`]+)`");
    Rows out;
    std::istringstream lines(page);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        number++;
        // The head of the table has two lines.
        if (!line.starts_with("|") || line.starts_with("| section |") || line.starts_with("|---")) continue;
        std::smatch parts;
        if (!std::regex_match(line, parts, form)) {
            out.mistakes.push_back(std::to_string(number) + ": not a row");
            continue;
        }
        Row row{parts[1], parts[2], {}, {}};
        const std::string last = parts[4];
        if (parts[3] == "no") row.reason = last;
        for (std::sregex_iterator at(last.begin(), last.end(), quoted), end; at != end && row.reason.empty(); ++at)
            row.tests.push_back((*at)[1]);
        out.rows.push_back(std::move(row));
    }
    return out;
}

TestNames::TestNames(const std::string &root) : root_(root) {
    const std::regex macro("TEST(?:_F|_P)?\\((\\w+),\\s*(\\w+)\\)");
    for (const auto &entry : fs::recursive_directory_iterator(root_ + "/testsuite")) {
        if (entry.path().extension() != ".cc") continue;
        const std::string text = read(entry.path());
        for (std::sregex_iterator at(text.begin(), text.end(), macro), end; at != end; ++at)
            units_.insert((*at)[1].str() + "." + (*at)[2].str());
    }
    for (const Example &example : read_page(read(root_ + "/docs/language.md")).examples)
        headings_.push_back(example.heading);
}

bool TestNames::has(const std::string &test) const {
    size_t slash = test.find('/');
    if (slash == std::string::npos || slash + 1 == test.size()) return false;
    std::string kind = test.substr(0, slash), name = test.substr(slash + 1);
    auto exists = [&](const std::string &path) { return fs::is_regular_file(root_ + "/testsuite/" + path); };
    if (kind == "native") return exists("native/cases/" + name + ".case");
    if (kind == "golden")
        return exists("golden/" + name + ".stp") &&
               (exists("golden/" + name + ".expect") || exists("golden/" + name + ".ir"));
    if (kind == "vm") return exists("vm/" + name + ".stp") || exists("vm/" + name + ".sh");
    if (kind == "unit") return units_.contains(name);
    if (kind == "doc") return std::find(headings_.begin(), headings_.end(), name) != headings_.end();
    return false;
}

}  // namespace tapir::language
