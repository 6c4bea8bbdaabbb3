// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/doctor.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::driver {
namespace {

namespace fs = std::filesystem;

class DoctorTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-doctor-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        kernel_.release = "1.2.3";
        kernel_.root = root_;
        setenv("TAPIR_CACHE_DIR", (root_ + "/cache").c_str(), 1);
    }
    void TearDown() override {
        unsetenv("TAPIR_CACHE_DIR");
        fs::remove_all(root_);
    }
    void write(const std::string &name, const std::string &text) const {
        fs::create_directories(fs::path(root_ + "/" + name).parent_path());
        std::ofstream(root_ + "/" + name) << text;
        fs::permissions(root_ + "/" + name, fs::perms::owner_all);
    }
    static std::string text(const machine::Group &group) { return machine::list_findings({group}, {}); }

    std::string root_;
    target::Kernel kernel_;
};

TEST_F(DoctorTest, WithoutHeadersNothingIsBuilt) {
    const machine::Group group = examine_building(kernel_, "install them", [](std::string &) {
        ADD_FAILURE();
        return true;
    });
    EXPECT_EQ(text(group),
              "Building scripts for 1.2.3\n  missing headers: install them\n  ok      cache: " + root_ + "/cache\n\n");
    EXPECT_EQ(machine::failures({group}), "headers");
}

TEST_F(DoctorTest, BuildingIsTried) {
    kernel_.build_dir = root_ + "/tree";
    write("tree/.config", "CONFIG_CC_VERSION_TEXT=\"gcc (x) 12\"\n");
    for (const char *tool : {"scripts/basic/fixdep", "scripts/mod/modpost"})
        write(std::string("tree/") + tool, "#!/bin/sh\n");
    machine::Group group = examine_building(kernel_, "", [](std::string &why) {
        why = "first\nsecond";
        return false;
    });
    const std::string found = text(group);
    EXPECT_NE(found.find("  ok      headers: " + root_ + "/tree\n"), std::string::npos) << found;
    EXPECT_NE(found.find("  ok      tools: make, linker and the tools of the headers run\n"), std::string::npos)
        << found;
    EXPECT_NE(found.find("  missing runtime: first\n          second\n"), std::string::npos) << found;
    EXPECT_EQ(machine::failures({group}), "runtime");
    fs::remove(root_ + "/tree/scripts/mod/modpost");
    group = examine_building(kernel_, "", [](std::string &) { return true; });
    EXPECT_EQ(machine::failures({group}), "modpost");
}

TEST_F(DoctorTest, WhatStandsStill) {
    const std::string title = "Looking at core files and snapshots (--core, --snapshot)\n";
    EXPECT_EQ(text(examine_still({"/usr/bin/gcc", "/usr/lib/tapir/", "", 0, false})),
              title +
                  "  ok      C compiler: /usr/bin/gcc\n"
                  "  ok      library: /usr/lib/tapir/\n"
                  "  ok      kdump: libkdumpfile reads compressed dumps of kernels\n"
                  "  ok      tracing: a user may look at the user's own processes\n\n");
    EXPECT_NE(std::string::npos, text(examine_still({"", "", "", 2, true})).find("ok      tracing: root may"));
    const std::string none = text(examine_still({"", "", "it is not here", 1, false}));
    EXPECT_NE(std::string::npos, none.find("  missing C compiler: none: ")) << none;
    EXPECT_NE(std::string::npos, none.find("  missing library: libtapir-still.so is not where stap is installed: "))
        << none;
    EXPECT_NE(std::string::npos, none.find("  note    kdump: it is not here\n")) << none;
    EXPECT_NE(std::string::npos,
              none.find("  note    tracing: kernel.yama.ptrace_scope is 1: only root may look at processes that run "
                        "already (--snapshot); 'sysctl kernel.yama.ptrace_scope=0' lets users look at their own\n"))
        << none;
    EXPECT_NE(std::string::npos, text(examine_still({"", "", "", 3, true})).find("  off     tracing: "));
    EXPECT_EQ("", machine::failures({examine_still({"", "", "", 3, false})}));
}

TEST_F(DoctorTest, WhatIsNotKnownOfAKernel) {
    write("etc/os-release", "ID=debian\n");
    EXPECT_EQ(
        text(examine_describing(kernel_, target::DebugInfo(), "")),
        "Knowing the kernel\n"
        "  missing debug information: none: install the package linux-image-1.2.3-dbg (apt-get install "
        "linux-image-1.2.3-dbg), or let 'stap-prep --kernel-debug 1.2.3' get it; without it and without BTF there are "
        "no $variables, @cast and tracepoints' "
        "arguments\n"
        "  missing symbols: neither the kernel's image nor System.map nor addresses in /proc/kallsyms: wildcards "
        "over functions do not work, and names are not checked; run as root, or install the kernel's image\n"
        "  note    BTF: none (CONFIG_DEBUG_INFO_BTF, or neither the kernel runs nor its image is here)\n"
        "  note    debuginfod: no server is asked for debug information by build-id (DEBUGINFOD_URLS is not set, or "
        "has no address)\n\n");
    setenv("DEBUGINFOD_URLS", "http://a.example/ https://b.example", 1);
    setenv("DEBUGINFOD_MAXTIME", "20", 1);
    const std::string asked = text(examine_describing(kernel_, target::DebugInfo(), ""));
    unsetenv("DEBUGINFOD_URLS");
    unsetenv("DEBUGINFOD_MAXTIME");
    EXPECT_NE(
        asked.find(
            "  ok      debuginfod: asked for debug information of kernels, modules and programs, for 20 s at most: "
            "http://a.example https://b.example\n"),
        std::string::npos)
        << asked;
}

}  // namespace
}  // namespace tapir::driver
