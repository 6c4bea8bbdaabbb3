// SPDX-License-Identifier: GPL-2.0-or-later
// The costs of handlers in MAXACTION, against SystemTap: actions.tsv has the rounds that they make there.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#include "runner.h"
#include "testsuite/trees.h"
#include "translate.h"

namespace tapir::native {
namespace {

struct Row {
    std::string name, rounds, handler;
};

std::vector<Row> rows() {
    std::ifstream file(tapir::source_dir() + "/testsuite/native/actions.tsv");
    std::vector<Row> all;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream fields(line);
        Row row;
        std::getline(fields, row.name, '\t');
        std::getline(fields, row.rounds, '\t');
        std::getline(fields, row.handler);
        all.push_back(row);
    }
    return all;
}

// Each handler runs alone, on globals that are empty. `rounds`: instead of those of the table.
std::string script(const std::string &rounds) {
    std::string text;
    int sequence = 0;
    for (const Row &row : rows()) {
        if (row.name.empty()) {
            text += row.handler + "\n";
            continue;
        }
        const std::string n = rounds.empty() ? row.rounds : rounds;
        text +=
            "probe begin(" + std::to_string(++sequence) + ") { delete a; delete b; delete s; delete m; n = t = 0 }\n";
        text += "probe begin(" + std::to_string(++sequence) + ") { " +
                std::regex_replace(row.handler, std::regex("\\bN\\b"), n) + " }  // " + row.name + "\n";
    }
    return text + "probe end { println(n, t, w) }\n";
}

Outcome run(const std::string &text, const std::string &max_errors) {
    Settings settings;
    settings.guru = true;
    settings.autoprint = false;
    settings.defines = {{"MAXERRORS", max_errors}};
    Translation t = translate(text, settings);
    EXPECT_TRUE(t.ok) << t.diagnostics;
    return t.ok ? run_native(t.c, "", "cc -O0 -w") : Outcome();
}

TEST(Actions, TheTableHasSixtyHandlers) {
    size_t handlers = 0;
    for (const Row &row : rows())
        handlers += !row.name.empty();
    EXPECT_GE(handlers, 60u);
}

TEST(Actions, NoHandlerEndsEarlierThanInSystemTap) {
    const std::string text = script("");
    const Outcome outcome = run(text, "1000");
    EXPECT_EQ(outcome.err, "") << text;
    EXPECT_EQ(outcome.status, 0);
}

TEST(Actions, EveryHandlerIsBounded) {
    const Outcome outcome = run(script("1000000000"), "1000");
    size_t errors = 0, handlers = 0;
    const std::string wanted = "ERROR: MAXACTION exceeded near ";
    for (size_t at = outcome.err.find(wanted); at != std::string::npos; at = outcome.err.find(wanted, at + 1))
        errors++;
    for (const Row &row : rows())
        handlers += !row.name.empty();
    EXPECT_EQ(errors, handlers) << outcome.err;
    EXPECT_EQ(outcome.status, 1);
}

}  // namespace
}  // namespace tapir::native
