// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of a test's own, with stand-ins for the host's tools and a cache.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/diagnostics.h"

namespace tapir::vm {

class Sandbox : public testing::Test {
  protected:
    Sandbox() {
        char pattern[] = "/tmp/tapir-vm-test.XXXXXX";
        dir_ = mkdtemp(pattern);
        std::filesystem::create_directory(dir_ / "bin");
        const char *path = getenv("PATH");
        old_path_ = path ? path : "";
        setenv("PATH", (dir_ / "bin").c_str(), 1);
        setenv("TAPIR_CACHE_DIR", (dir_ / "cache").c_str(), 1);
    }
    ~Sandbox() override {
        setenv("PATH", old_path_.c_str(), 1);
        unsetenv("TAPIR_CACHE_DIR");
        unsetenv("TAPIR_VM_AGENT");
        std::filesystem::remove_all(dir_);
    }

    void write(const std::string &name, const std::string &text, int mode = 0644) {
        std::filesystem::create_directories((dir_ / name).parent_path());
        std::ofstream(dir_ / name, std::ios::binary) << text;
        chmod((dir_ / name).c_str(), mode);
    }
    std::string read(const std::string &name) {
        std::ostringstream text;
        text << std::ifstream(dir_ / name, std::ios::binary).rdbuf();
        return text.str();
    }
    // A shell script that plays a tool; D is the sandbox.
    void play(const std::string &tool, const std::string &script) {
        write("bin/" + tool, "#!/bin/bash\nexport PATH=/usr/bin:/bin D=" + dir_.string() + "\n" + script, 0755);
    }
    void link_tool(const std::string &tool) {
        std::filesystem::create_symlink("/usr/bin/" + tool, dir_ / "bin" / tool);
    }

    // Everything reported, as users see it, with the sandbox's path shown as DIR.
    std::string reported() {
        std::string text;
        for (const auto &diagnostic : diagnostics_.all())
            text += render(*diagnostic);
        std::string path = dir_.string();
        for (size_t at; (at = text.find(path)) != std::string::npos;)
            text.replace(at, path.size(), "DIR");
        return text;
    }

    std::filesystem::path dir_;
    Diagnostics diagnostics_;

  private:
    std::string old_path_;
};

}  // namespace tapir::vm
