// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.trace on a kernel that is known by BTF alone: one made for tests, with the tracepoint file_opened(bool on,
// struct file *file).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "probes/kinds.h"
#include "unit/target/btf_writer.h"

namespace tapir::probes {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class TracepointTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-trace-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        fs::create_directories(root_ / "sys/kernel/btf");
        target::BtfWriter kernel;
        kernel.sample();
        std::ofstream(root_ / "sys/kernel/btf/vmlinux") << kernel.blob();
        fs::create_directories(root_ / "build/include/trace/events");
        std::ofstream(root_ / "build/include/trace/events/vfs.h") << "#define TRACE_SYSTEM vfs\n"
                                                                     "TRACE_EVENT(file_opened,\n";
    }
    void TearDown() override { fs::remove_all(root_); }

    std::vector<Attach> resolve_point(const std::string &component, const std::string &argument) {
        target::DebugSources sources;
        sources.release = "1.2.3";
        sources.root = root_;
        sources.build_dir = with_headers_ ? (root_ / "build").string() : "";
        sources.arch = "x86_64";
        sources.running = true;
        debug_ = std::make_unique<target::DebugInfo>(std::move(sources));
        ast::ProbePoint point;
        point.components.resize(2);
        point.components[0].name = module_.empty() ? "kernel" : "module";
        if (!module_.empty()) point.components[0].arg = std::make_unique<ast::String>(SourceRef{}, module_);
        point.components[1].name = component;
        point.components[1].arg = std::make_unique<ast::String>(SourceRef{}, argument);
        std::vector<Attach> found;
        diagnostics_ = Diagnostics();
        EXPECT_TRUE(resolve(point, {target::Symbols(), diagnostics_, *debug_}, found));
        return found;
    }

    std::string message(const std::string &argument) {
        EXPECT_TRUE(resolve_point("trace", argument).empty());
        return render_all(diagnostics_, true);
    }

    fs::path root_;
    bool with_headers_ = true;
    std::string module_;
    std::unique_ptr<target::DebugInfo> debug_;
    Diagnostics diagnostics_;
};

TEST_F(TracepointTest, IsFoundByNameSystemAndWildcard) {
    for (const char *text : {"file_opened", "vfs:file_opened", "file_*", "v?s:*"}) {
        const auto found = resolve_point("trace", text);
        ASSERT_EQ(found.size(), 1u) << text;
        EXPECT_EQ(found[0].kind, Kind::Tracepoint);
        EXPECT_EQ(found[0].point, "kernel.trace(\"vfs:file_opened\")");
        EXPECT_EQ(found[0].as<Tracepoint>().name, "file_opened");
        EXPECT_EQ(found[0].as<Tracepoint>().argument_count, 2u);
        EXPECT_EQ(found[0].from_wildcard, std::string(text).find_first_of("*?") != std::string::npos);
    }
    EXPECT_EQ(resolve_point("tracepoint", "file_opened").at(0).point, "kernel.tracepoint(\"vfs:file_opened\")");
}

TEST_F(TracepointTest, HasItsArgumentsButNotThePointerBeforeThem) {
    const auto found = resolve_point("trace", "file_opened");
    ASSERT_EQ(found.size(), 1u);
    std::vector<std::string> texts;
    for (const target::Variable &variable : found[0].scope->variables())
        texts.push_back(ctypes::type_name(variable.type) + " " + variable.name + " " +
                        ctypes::term_text(*variable.place.term));
    EXPECT_THAT(texts, ElementsAre("_Bool on argument0", "struct file* file argument1"));
    EXPECT_FALSE(found[0].scope->find("__data"));
    EXPECT_FALSE(found[0].scope->result());
    EXPECT_TRUE(found[0].scope->find_type("struct file"));
    EXPECT_EQ(found[0].scope->probe_name(), "file_opened");
}

TEST_F(TracepointTest, SaysWhatIsNear) {
    EXPECT_EQ(message("file_openend"), "semantic error: no match (similar tracepoints: vfs:file_opened)\n\n");
    EXPECT_EQ(message("net:file_opened"), "semantic error: no match (similar tracepoints: vfs:file_opened)\n\n");
    EXPECT_EQ(message("net:*"), "semantic error: no match\n\n");
    with_headers_ = false;
    EXPECT_EQ(resolve_point("trace", "file_opened").at(0).point, "kernel.trace(\"file_opened\")");
    EXPECT_EQ(message("vfs:file_opened"),
              "semantic error: no match: it is not known to which system 'file_opened' belongs, name it alone\n\n");
}

TEST_F(TracepointTest, SaysWhatAModuleHasNot) {
    fs::create_directories(root_ / "lib/modules/1.2.3");
    std::ofstream(root_ / "lib/modules/1.2.3/modules.dep") << "kernel/drivers/dull.ko:\n";
    module_ = "dull";
    EXPECT_EQ(message("nothing"),
              "semantic error: module 'dull' has no tracepoints, as far as its BTF or its debug information tells\n\n");
    module_ = "dul";
    EXPECT_EQ(message("nothing"), "semantic error: kernel 1.2.3 has no module 'dul' (similar: dull)\n\n");
}

}  // namespace
}  // namespace tapir::probes
