// SPDX-License-Identifier: GPL-2.0-or-later
// Runs every golden script and compares everything it prints; see CMakeLists.txt for the form of a test.
//
// An .expect file holds standard output, then "--- stderr" and standard error when there is any, then "--- exit N" when
// the status is not 0.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "testsuite/trees.h"

namespace fs = std::filesystem;

namespace {

const fs::path root = fs::path(tapir::source_dir()) / "testsuite/golden";
const std::string mark = "#! args:";  // scripts without it belong to other tests
const fs::path stap = fs::path(tapir::build_dir()) / "bin/stap";

std::string read(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

// The words after "#! args:" on the first line.
std::vector<std::string> arguments(const std::string &script) {
    std::vector<std::string> words;
    if (!script.starts_with(mark)) return words;
    std::istringstream line(script.substr(mark.size(), script.find('\n') - mark.size()));
    for (std::string word; line >> word;)
        words.push_back(word);
    return words;
}

// Runs stap in the script's directory, so that no path of the machine is printed.
std::string run(const fs::path &script) {
    std::vector<std::string> words = {stap.string()};
    std::vector<std::string> given = arguments(read(script));
    auto separator = std::find(given.begin(), given.end(), "--");
    words.insert(words.end(), given.begin(), separator);
    words.push_back(script.filename().string());
    if (separator != given.end()) words.insert(words.end(), separator + 1, given.end());

    fs::path scratch = fs::temp_directory_path() / ("tapir-golden-" + std::to_string(getpid()));
    fs::create_directories(scratch);
    fs::path out = scratch / "out", err = scratch / "err";
    pid_t child = fork();
    if (child == 0) {
        std::vector<char *> argv;
        for (std::string &word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        int null = open("/dev/null", O_RDONLY);
        int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (null < 0 || out_fd < 0 || err_fd < 0 || chdir(script.parent_path().c_str()) != 0) _exit(127);
        dup2(null, 0), dup2(out_fd, 1), dup2(err_fd, 2);
        execv(argv[0], argv.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::string result = read(out), errors = read(err);
    fs::remove_all(scratch);
    if (!errors.empty()) result += "--- stderr\n" + errors;
    if (WIFSIGNALED(status)) return result + "--- signal " + std::to_string(WTERMSIG(status)) + "\n";
    if (WEXITSTATUS(status)) result += "--- exit " + std::to_string(WEXITSTATUS(status)) + "\n";
    return result;
}

class Golden : public testing::Test {
  public:
    explicit Golden(fs::path script) : script_(std::move(script)) {}
    void TestBody() override {
        if (!fs::exists(stap)) GTEST_SKIP() << stap << " is not built";
        fs::path expect = script_;
        expect.replace_extension(".expect");
        std::string got = run(script_);
        if (std::getenv("TAPIR_GOLDEN_UPDATE")) {
            std::ofstream(expect, std::ios::binary) << got;
            return;
        }
        ASSERT_TRUE(fs::exists(expect)) << "no " << expect << "; the script printed\n" << got;
        EXPECT_EQ(got, read(expect));
    }

  private:
    fs::path script_;
};

}  // namespace

int main(int argc, char **argv) {
    std::vector<fs::path> scripts;
    for (const auto &entry : fs::recursive_directory_iterator(root))
        if (entry.path().extension() == ".stp" && read(entry.path()).starts_with(mark)) scripts.push_back(entry.path());
    std::sort(scripts.begin(), scripts.end());
    for (const fs::path &script : scripts) {
        std::string area = fs::relative(script.parent_path(), root).string();
        std::replace(area.begin(), area.end(), '/', '_');
        testing::RegisterTest(("Golden_" + area).c_str(), script.stem().c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [script]() -> testing::Test * { return new Golden(script); });
    }
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
