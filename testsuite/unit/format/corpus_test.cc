// SPDX-License-Identifier: GPL-2.0-or-later
// Every script of the tree, and of Debian's systemtap-doc, keeps its tree when it is formatted, and is formatted once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "format/format_script.h"
#include "testsuite/trees.h"
#include "testsuite/unit/syntax/parse.h"

namespace fs = std::filesystem;

namespace tapir::formatter {
namespace {

std::vector<fs::path> scripts_below(const fs::path &root) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (it->is_directory() && (name.starts_with("build") || name.starts_with("."))) it.disable_recursion_pending();
        const fs::path extension = it->path().extension();
        if (extension == ".stp" || extension == ".stpm") paths.push_back(it->path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string tree(const std::string &text) {
    return syntax::Parsed(text, true, {"1", "2", "3"}).printed();
}

// The number of scripts that were formatted; the others have syntax errors, which the formatter must have reported.
size_t check_all(const std::vector<fs::path> &paths) {
    size_t formatted = 0;
    for (const fs::path &path : paths) {
        const std::string text = syntax::read_text(path);
        SourceFile file(path, text, Origin::UserScript);
        Diagnostics diagnostics;
        const auto once = format_script(file, {}, diagnostics);
        if (!once) {
            for (const auto &report : diagnostics.all())
                EXPECT_NE(report->tag, Tag::UsageError) << path;
            EXPECT_TRUE(diagnostics.has_errors()) << path;
            continue;
        }
        formatted++;
        SourceFile again(path, *once, Origin::UserScript);
        const auto twice = format_script(again, {}, diagnostics);
        EXPECT_EQ(twice.value_or("refused"), *once) << path;
        EXPECT_EQ(tree(*once), tree(text)) << path;
    }
    return formatted;
}

TEST(FormatCorpus, KeepsTheTreesOfAllScriptsOfTheTree) {
    const auto paths = scripts_below(tapir::source_dir());
    ASSERT_GT(paths.size(), 500U);
    // All but two of the golden tests, which are about such mistakes.
    EXPECT_EQ(check_all(paths), paths.size() - 2);
}

TEST(FormatCorpus, KeepsTheTreesOfSystemTapsExamples) {
    auto paths = scripts_below("/usr/share/systemtap");
    if (paths.empty()) paths = scripts_below("/usr/share/doc/systemtap-doc");
    if (paths.empty()) GTEST_SKIP() << "no scripts of Debian's systemtap-doc: apt-get install systemtap-doc";
    EXPECT_EQ(check_all(paths), paths.size());
}

}  // namespace
}  // namespace tapir::formatter
