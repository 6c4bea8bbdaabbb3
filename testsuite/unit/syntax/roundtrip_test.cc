// SPDX-License-Identifier: GPL-2.0-or-later
// Printing a tree and parsing the result gives the same tree, for every script there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "parse.h"
#include "sentence.h"
#include "testsuite/trees.h"

namespace fs = std::filesystem;

namespace tapir::syntax {
namespace {

std::vector<fs::path> files_below(const fs::path &root, const std::string &extension) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, error), end;
         !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().string();
        if (it->is_directory() && (name.starts_with("build") || name.starts_with("."))) it.disable_recursion_pending();
        if (it->path().extension() == extension) paths.push_back(it->path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

void expect_stable(const Parsed &parsed, const std::string &name) {
    std::string once = parsed.printed();
    Parsed again(once.empty() ? ";" : once, true);
    EXPECT_EQ(again.messages(), "") << name << " printed as\n" << once;
    EXPECT_EQ(again.printed(), once) << name;
}

// The macros of the tapsets, and stand-ins for those that scripts use and tapsets do not have yet.
class Macros {
  public:
    Macros() {
        for (const fs::path &path : files_below(fs::path(tapir::source_dir()) / "tapsets", ".stpm"))
            add(path.string(), read_text(path));
        table_.set_loader([this](const std::string &name) {
            if (name == "choose_defined") add(name, "@define choose_defined(a, b) %( (@defined(@a) ? @a : @b) %)");
            if (name == "container_of") add(name, "@define container_of(p, t, f) %( @cast(@p, @t) %)");
            if (name.starts_with("this")) add(name, "@define " + name + " %( saved %)");
            if (name == "cast_module_sizeof") add(name, "@define cast_module_sizeof(m, t) %( sizeof(@m, @t) %)");
            if (name == "module_container_of")
                add(name, "@define module_container_of(p, m, t, f) %( @cast(@p, @t, @m) %)");
            if (name.starts_with("json_output_data_")) add(name, "@define " + name + " %( f() %)");
            if (name.starts_with("json_output_array_")) add(name, "@define " + name + "(a, i, m, v) %( f(@i, @v) %)");
            if (name.starts_with("json_output_") && !has(name)) add(name, "@define " + name + "(n, v) %( f(@v) %)");
            if (name.starts_with("prometheus_dump_array"))
                add(name, "@define " + name + prometheus(name) + " %( f() %)");
        });
    }
    const MacroTable &table() const { return table_; }

  private:
    bool has(const std::string &name) const {
        for (const std::string &known : table_.names())
            if (known == name) return true;
        return false;
    }
    // prometheus_dump_arrayN[_map](array, name, N columns[, N + 1 mappings])
    static std::string prometheus(const std::string &name) {
        int columns = name.at(std::string("prometheus_dump_array").size()) - '0';
        int params = 2 + columns + (name.find("_map") != std::string::npos ? columns + 1 : 0);
        std::string list = "(p0";
        for (int i = 1; i < params; i++)
            list += ", p" + std::to_string(i);
        return list + ")";
    }
    void add(const std::string &name, const std::string &text) {
        sources_.push_back(std::make_unique<SourceFile>(name, text, Origin::Tapset));
        ParseOptions options;
        options.facts = test_facts();
        Diagnostics diagnostics;
        parse_macros(*sources_.back(), options, table_, diagnostics);
        EXPECT_EQ(render_all(diagnostics, true), "");
    }

    MacroTable table_;
    std::vector<std::unique_ptr<SourceFile>> sources_;
};

TEST(RoundTrip, EveryScriptOfTheTree) {
    Macros macros;
    size_t parsed_files = 0;
    for (const fs::path &path : files_below(tapir::source_dir(), ".stp")) {
        // Names stand for literals in tools: EveryToolOfTheTree reads these.
        if (path.parent_path().parent_path() == fs::path(tapir::source_dir()) / "tools") continue;
        Parsed parsed(read_text(path), true, {"1", "2", "3"}, &macros.table());
        // Scripts that are tests of an error need not parse.
        bool is_test = path.string().find("/testsuite/") != std::string::npos;
        if (parsed.diagnostics.has_errors()) {
            EXPECT_TRUE(is_test) << path << "\n" << parsed.messages();
            continue;
        }
        parsed_files++;
        expect_stable(parsed, path.string());
    }
    EXPECT_GT(parsed_files, 10u);
}

// Debian's package of example scripts, where it is installed or unpacked (TAPIR_EXAMPLES names its root).
TEST(RoundTrip, EveryExampleOfTheDebianPackage) {
    const char *given = std::getenv("TAPIR_EXAMPLES");
    fs::path root = given ? given : "/usr/share";
    std::vector<fs::path> scripts;
    for (const char *below : {"systemtap/examples", "doc/systemtap/examples", "usr/share"})
        for (const fs::path &path : files_below(root / below, ".stp"))
            scripts.push_back(path);
    if (scripts.empty()) GTEST_SKIP() << "no example scripts below " << root << " (package systemtap-doc)";
    // Arguments stand for numbers, names or points, each as the script wants.
    const std::vector<std::vector<std::string>> guesses = {
        {"1", "2", "3", "4", "5", "6", "7", "8"},
        {"begin", "end", "@count", "begin", "end", "begin", "end", "never"},
        {"begin", "1", "tid", "begin", "end", "5", "6", "7"},
        {"begin", "end", "1", "1", "1", "1", "1", "1"},
        {"kernel", "a", "b", "c", "d", "e", "f", "g"},
    };
    Macros macros;
    for (const fs::path &path : scripts) {
        // A template with "..." where the user's code goes.
        if (path.filename() == "security-bandaid-template.stp") continue;
        std::string text = read_text(path), messages;
        bool good = false;
        for (const auto &args : guesses) {
            Parsed parsed(text, true, args, &macros.table());
            good = !parsed.diagnostics.has_errors();
            if (messages.empty()) messages = parsed.messages();
            if (!good) continue;
            expect_stable(parsed, path.string());
            break;
        }
        EXPECT_TRUE(good) << path << "\n" << messages;
    }
}

TEST(RoundTrip, GeneratedSentences) {
    for (unsigned seed = 0; seed < 3000; seed++) {
        std::string text = Sentence(seed).file();
        Parsed parsed(text, true);
        ASSERT_EQ(parsed.messages(), "") << "seed " << seed << "\n" << text;
        std::string once = parsed.printed();
        Parsed again(once, true);
        ASSERT_EQ(again.messages(), "") << "seed " << seed << "\n" << text << "\n" << once;
        ASSERT_EQ(again.printed(), once) << "seed " << seed << "\n" << text;
    }
}

TEST(RoundTrip, CopiesPrintAlike) {
    for (unsigned seed = 0; seed < 300; seed++) {
        Parsed parsed(Sentence(seed).file(), true);
        for (const auto &probe : parsed.file->probes) {
            EXPECT_EQ(ast::print(*ast::clone(*probe->body)), ast::print(*probe->body));
            for (const auto &point : probe->points)
                EXPECT_EQ(ast::clone(point).str(), point.str());
        }
    }
}

TEST(RoundTrip, BytesOfAllValuesInStrings) {
    std::string bytes;
    for (int i = 1; i < 256; i++)
        if (i != '"' && i != '\\' && i != '\n') bytes += static_cast<char>(i);
    Parsed parsed("probe p { f(\"" + bytes + "\") }");
    EXPECT_EQ(parsed.messages(), "");
    expect_stable(parsed, "bytes");
}

}  // namespace
}  // namespace tapir::syntax
