// SPDX-License-Identifier: GPL-2.0-or-later
// Files of processes whose names mean something else by now, and files by build-id.
#include "target/running_files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "target/debug_info.h"
#include "target/process_root.h"
#include "target/program_files.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class RunningFiles : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "tapir-running-XXXXXX";
        directory_ = fs::canonical(mkdtemp(pattern.data())).string();
        std::ofstream(directory_ + "/wait.c")
            << "#include <stdio.h>\n#include <unistd.h>\nint twice(int a);\n"
               "int main(void) { printf(\"%d\\n\", twice(3)); fflush(stdout); pause(); return 0; }\n";
        std::ofstream(directory_ + "/twice.c") << "int twice(int a) { return 2 * a; }\n";
        run("gcc -shared -fPIC -g -Wl,--build-id,-soname,libtwice.so.1 -o libtwice.so.1.0 twice.c && "
            "ln -s libtwice.so.1.0 libtwice.so.1 && ln -s libtwice.so.1 libtwice.so && "
            "gcc -g -Wl,--build-id -Wl,-rpath,'$ORIGIN' -o wait wait.c -L. -ltwice");
    }
    void TearDown() override {
        stop();
        fs::remove_all(directory_);
    }
    void run(const std::string &command) {
        ASSERT_EQ(system(("cd " + directory_ + " && " + command).c_str()), 0) << command;
    }
    // Returns when the process has begun.
    void start(const std::string &path) {
        int ready[2];
        ASSERT_EQ(pipe(ready), 0);
        child_ = fork();
        if (child_ == 0) {
            dup2(ready[1], 1);
            close(ready[0]);
            close(ready[1]);
            execl(path.c_str(), path.c_str(), nullptr);
            _exit(1);
        }
        close(ready[1]);
        char text[8];
        EXPECT_GT(read(ready[0], text, sizeof text), 0);
        close(ready[0]);
    }
    void stop() {
        if (child_ <= 0) return;
        kill(child_, SIGKILL);
        waitpid(child_, nullptr, 0);
        child_ = 0;
    }
    std::string exe() const { return "/proc/" + std::to_string(child_) + "/exe"; }
    std::string build_id_of(const std::string &file) {
        std::string error;
        const auto object = dwarf::Object::open(directory_ + "/" + file, error);
        EXPECT_TRUE(object) << error;
        return object ? object->build_id() : "";
    }

    std::string directory_;
    pid_t child_ = 0;
};

// ldd asks the dynamic linker itself.
TEST_F(RunningFiles, NeededLibrariesAreThoseOfLdd) {
    run("ldd \"$PWD/wait\" | sed -nE 's,^[^/]*(/[^ ]*) .*,\\1,p' | LC_ALL=C sort >listed");
    std::vector<std::string> listed;
    std::ifstream in(directory_ + "/listed");
    for (std::string line; std::getline(in, line);)
        listed.push_back(line);
    ASSERT_THAT(listed, testing::Contains(directory_ + "/libtwice.so.1"));
    std::string error;
    const auto program = dwarf::Object::open(directory_ + "/wait", error);
    ASSERT_TRUE(program) << error;
    EXPECT_EQ(needed_libraries(*program), listed);
    run("echo 'int main(void) { return 0; }' | gcc -static -o still -xc -");
    const auto still = dwarf::Object::open(directory_ + "/still", error);
    ASSERT_TRUE(still) << error;
    EXPECT_THAT(needed_libraries(*still), testing::IsEmpty());
}

TEST_F(RunningFiles, AProgramIsNamedAsLongAsItsNameMeansIt) {
    start(directory_ + "/wait");
    EXPECT_EQ(program_of_process(child_), directory_ + "/wait");
    EXPECT_EQ(canonical_file("", exe()), directory_ + "/wait");
    run("cp wait other && mv other wait");
    EXPECT_EQ(program_of_process(child_), exe());
    EXPECT_EQ(canonical_file("", exe()), exe());
    EXPECT_EQ(former_path(exe()), directory_ + "/wait");
    fs::remove(directory_ + "/wait");
    EXPECT_EQ(program_of_process(child_), exe());
    EXPECT_THAT(find_programs(exe()), ElementsAre(exe()));
    // It is that file, with its debug information and its libraries.
    const DebugInfo debug{DebugSources{}};
    std::string error;
    const DebugObject *object = debug.program(exe(), error);
    ASSERT_TRUE(object) << error;
    EXPECT_TRUE(object->index);
    EXPECT_THAT(find_libraries("libtwice.so.1", *object->object), ElementsAre(directory_ + "/libtwice.so.1.0"));
    // The command that stap starts has its environment.
    fs::create_directory(directory_ + "/elsewhere");
    fs::copy_file(directory_ + "/libtwice.so.1.0", directory_ + "/elsewhere/libonly.so");
    EXPECT_THAT(find_libraries("libonly.so", *object->object), testing::IsEmpty());
    setenv("LD_LIBRARY_PATH", ("/nowhere;" + directory_ + "/elsewhere:").c_str(), 1);
    EXPECT_THAT(find_libraries("libonly.so", *object->object), ElementsAre(directory_ + "/elsewhere/libonly.so"));
    unsetenv("LD_LIBRARY_PATH");
    const int64_t gone = child_;
    stop();
    EXPECT_EQ(program_of_process(gone), "");
}

TEST_F(RunningFiles, AProgramInMemory) {
    const int file = memfd_create("in memory", 0);
    ASSERT_GE(file, 0);
    std::ifstream in(directory_ + "/wait", std::ios::binary);
    const std::string content{std::istreambuf_iterator<char>(in), {}};
    ASSERT_EQ(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    setenv("LD_LIBRARY_PATH", directory_.c_str(), 1);
    start("/proc/self/fd/" + std::to_string(file));
    unsetenv("LD_LIBRARY_PATH");
    close(file);
    EXPECT_EQ(program_of_process(child_), exe());
    const DebugInfo debug{DebugSources{}};
    std::string error;
    const DebugObject *object = debug.program(exe(), error);
    ASSERT_TRUE(object) << error;
    EXPECT_TRUE(object->object->symbol_address("main"));
}

TEST_F(RunningFiles, LibrariesAreThoseThatAProcessHas) {
    start(directory_ + "/wait");
    const std::string library = directory_ + "/libtwice.so.1.0";
    for (const char *name : {"libtwice.so.1.0", "libtwice.so.1", "libtwice*"})
        EXPECT_THAT(find_mapped_libraries(name, child_), ElementsAre(library)) << name;
    EXPECT_THAT(find_mapped_libraries(library, child_), ElementsAre(library));
    EXPECT_TRUE(find_mapped_libraries("libnone.so", child_).empty());
    const auto all = find_mapped_libraries("*", child_);
    EXPECT_THAT(all, testing::Contains(library));
    EXPECT_THAT(all, testing::Not(testing::Contains(directory_ + "/wait")));
    run("cp libtwice.so.1.0 other && mv other libtwice.so.1.0");
    const auto replaced = find_mapped_libraries("libtwice.so.1.0", child_);
    ASSERT_EQ(replaced.size(), 1u);
    EXPECT_THAT(replaced[0], testing::StartsWith("/proc/" + std::to_string(child_) + "/map_files/"));
    if (access(replaced[0].c_str(), R_OK) != 0) return;  // for who may not follow it
    std::string error;
    EXPECT_TRUE(dwarf::Object::open(replaced[0], error)) << error;
    EXPECT_EQ(former_path(replaced[0]), library);
}

TEST_F(RunningFiles, ByBuildId) {
    const std::string id = build_id_of("wait");
    ASSERT_EQ(id.size(), 40u);
    EXPECT_TRUE(find_programs(id).empty());
    start(directory_ + "/wait");
    EXPECT_THAT(find_programs(id), ElementsAre(directory_ + "/wait"));
    std::string upper = id;
    for (char &c : upper)
        c = static_cast<char>(toupper(c));
    EXPECT_THAT(find_programs(upper), ElementsAre(directory_ + "/wait"));
    EXPECT_THAT(find_programs(build_id_of("libtwice.so.1")), ElementsAre(directory_ + "/libtwice.so.1.0"));
    fs::remove(directory_ + "/wait");
    EXPECT_THAT(find_programs(id), ElementsAre(exe()));
    stop();
    EXPECT_TRUE(find_programs(id).empty());
    // Installed, below a root: by the links of debug packages, else where the linker looks.
    fs::create_directories(directory_ + "/usr/lib");
    run("cp libtwice.so.1.0 usr/lib/");
    const std::string library = build_id_of("libtwice.so.1.0"), file = directory_ + "/usr/lib/libtwice.so.1.0";
    EXPECT_THAT(find_programs(library, directory_), ElementsAre(file));
    fs::create_directories(directory_ + "/usr/lib/.build-id/" + library.substr(0, 2));
    fs::create_symlink("../../libtwice.so.1.0",
                       directory_ + "/usr/lib/.build-id/" + library.substr(0, 2) + "/" + library.substr(2));
    EXPECT_THAT(find_programs(library, directory_), ElementsAre(file));
}

TEST_F(RunningFiles, AFileMayHaveTheNameOfAPattern) {
    run("cp wait 'wa[it]*{}'");
    EXPECT_THAT(find_programs(directory_ + "/wa[it]*{}"), ElementsAre(directory_ + "/wa[it]*{}"));
    EXPECT_THAT(find_programs(directory_ + "/wa[it]?"), ElementsAre(directory_ + "/wait"));
}

}  // namespace
}  // namespace tapir::target
