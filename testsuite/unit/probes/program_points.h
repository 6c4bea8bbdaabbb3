// SPDX-License-Identifier: GPL-2.0-or-later
// Probe points as texts, and those in programs that the tests compile.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "probes/kinds.h"
#include "target/running_machine.h"

namespace tapir::probes {

// A component written "name", "name(5)" or "name(\"text\")".
inline ast::PointComponent component(const std::string &text) {
    ast::PointComponent made;
    made.name = text.substr(0, text.find('('));
    if (made.name.size() == text.size()) return made;
    const std::string arg = text.substr(made.name.size() + 1, text.size() - made.name.size() - 2);
    if (arg.starts_with("\""))
        made.arg = std::make_unique<ast::String>(SourceRef{}, arg.substr(1, arg.size() - 2));
    else
        made.arg = std::make_unique<ast::Number>(SourceRef{}, std::stoll(arg, nullptr, 0));
    return made;
}

inline ast::ProbePoint point(const std::vector<std::string> &components) {
    ast::ProbePoint made;
    for (const std::string &text : components)
        made.components.push_back(component(text));
    return made;
}

class ProgramPointTest : public testing::Test {
  protected:
    // Makes the directory of a suite's programs. SetUpTestSuite() calls it.
    static void make_directory(const std::string &name) {
        std::string pattern = testing::TempDir() + "tapir-" + name + "-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        directory_ = std::filesystem::canonical(pattern).string();
    }
    static void TearDownTestSuite() { std::filesystem::remove_all(directory_); }

    std::vector<Attach> resolve_point(const std::vector<std::string> &components) {
        target::DebugSources sources;
        sources.subject = &machine_;
        sources.arch = arch_;
        debug_ = std::make_unique<target::DebugInfo>(std::move(sources));
        std::vector<Attach> found;
        diagnostics_ = Diagnostics();
        EXPECT_TRUE(resolve(point(components), {target::Symbols(), diagnostics_, *debug_}, found));
        return found;
    }
    std::string message(const std::vector<std::string> &components) {
        EXPECT_TRUE(resolve_point(components).empty());
        return render_all(diagnostics_, true);
    }

    static inline std::string directory_;
    std::string arch_ = "x86_64";
    target::ProgramTarget target_;
    target::RunningMachine machine_{[this] { return target_; }};
    std::unique_ptr<target::DebugInfo> debug_;
    Diagnostics diagnostics_;
};

}  // namespace tapir::probes
