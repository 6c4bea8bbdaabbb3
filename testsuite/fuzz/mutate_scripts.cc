// SPDX-License-Identifier: GPL-2.0-or-later
// Mutants of real scripts through passes 1 to 3, in processes of their own: none may crash, take longer than a second
// of processor time per 10 kB and at least ten, or need more than 2 GB; what is emitted must be C that a compiler
// takes.
//
//     mutate_scripts [-seed FIRST] [-count N] [-seconds S] [-compile EVERY] [-keep DIRECTORY] [-show] [PATH...]
//
// PATH: scripts (.stp, .stpm, .case) or directories of them; without any, the tree's own scripts. The mutants FIRST,
// FIRST + 1, ... are always the same for the same scripts; -show prints one and does not try it. A failing one is
// written to DIRECTORY (default: the working directory) as mutant-SEED.stp. Status 1 when anything failed.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "fuzz/mutate.h"
#include "testsuite/trees.h"
#include "translate.h"

using namespace tapir;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

namespace {

// A sanitizer's build is slower.
constexpr uint64_t kLimitMs = 10000, kMemoryLimit = uint64_t{2} << 30;
constexpr rlim_t kStack = 8 << 20;

struct Request {
    uint64_t first = 1, count = 1000, seconds = 0, compile_every = 0;
    std::string keep = ".";
    bool show = false;
    std::vector<std::string> paths;
};

// Messages from the working process to the one that watches it.
struct Progress {
    std::atomic<uint64_t> seed, translated, compiled, started_ms;
    std::atomic<bool> compiling, bad_c;
};

// Processor time of a process in milliseconds.
uint64_t time_of(pid_t pid) {
    clockid_t clock;
    timespec time{};
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) return 0;
    return static_cast<uint64_t>(time.tv_sec) * 1000 + static_cast<uint64_t>(time.tv_nsec) / 1000000;
}

native::Settings settings_of(uint64_t seed) {
    native::Settings settings;
    settings.guru = seed % 3 != 2;
    settings.unoptimized = seed % 5 == 0;
    settings.args = {"1", "two"};
    return settings;
}

fuzz::Pool load(const std::vector<std::string> &paths) {
    std::vector<std::string> files;
    for (const std::string &path : paths) {
        if (!fs::is_directory(path))
            files.push_back(path);
        else
            for (const auto &entry : fs::recursive_directory_iterator(path))
                if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    fuzz::Pool pool;
    for (const std::string &file : files) {
        std::string extension = fs::path(file).extension();
        if (!extension.empty() && extension != ".stp" && extension != ".stpm" && extension != ".case") continue;
        std::string text = native::read_file(file);
        if (extension == ".case") {
            size_t begin = text.find("### script\n"), end = text.find("\n### ", begin + 1);
            if (begin == text.npos) continue;
            text = text.substr(begin + 11, end == text.npos ? end : end - begin - 10);
        }
        fuzz::Tokens tokens = fuzz::tokenize(text);
        if (tokens.empty()) continue;
        bool good = native::translate(fuzz::join(tokens), settings_of(0)).ok;
        pool.scripts.push_back(std::move(tokens));
        if (good) std::swap(pool.scripts.back(), pool.scripts[pool.good++]);
    }
    return pool;
}

bool compiles(const std::string &c_text, const std::string &directory) {
    std::ofstream(directory + "/mutant.c") << c_text;
    std::string command =
        "cc -std=gnu89 -fsyntax-only -Wall -Wundef -Wstrict-prototypes -Wno-trigraphs -Werror "
        "-I" +
        tapir::source_dir() + "/runtime/include " + directory + "/mutant.c";
    return std::system(command.c_str()) == 0;
}

// Tries mutants until the end or the first that takes this process down.
void work(const Request &request, const fuzz::Pool &pool, uint64_t seed, uint64_t end, Progress &progress,
          const std::string &directory) {
    for (; seed < end; seed++) {
        std::string text = fuzz::mutant(pool, seed);
        progress.seed = seed;
        progress.started_ms = time_of(getpid());
        native::Translation translation = native::translate(text, settings_of(seed));
        if (!translation.ok) continue;
        uint64_t number = ++progress.translated;
        // The C of a user's %{ %} is his own.
        if (!request.compile_every || number % request.compile_every || text.find("%{") != text.npos) continue;
        progress.compiling = true;
        progress.compiled++;
        if (!compiles(translation.c, directory)) {
            progress.bad_c = true;
            _exit(1);
        }
        progress.compiling = false;
    }
    progress.seed = end;
    _exit(0);
}

// Resident memory of another process, in bytes; 0 when it is gone.
uint64_t memory_of(pid_t pid) {
    uint64_t total = 0, resident = 0;
    std::ifstream("/proc/" + std::to_string(pid) + "/statm") >> total >> resident;
    return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Waits for the working process, ending it when one mutant takes too long. Returns what went wrong, "" if nothing.
std::string watch(pid_t pid, Progress &progress, Clock::time_point until, bool &out_of_time) {
    for (int status;;) {
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            if (progress.bad_c) return "the emitted C does not compile";
            if (WIFSIGNALED(status)) return std::string("killed by ") + strsignal(WTERMSIG(status));
            return WEXITSTATUS(status) ? "ended with status " + std::to_string(WEXITSTATUS(status)) : "";
        }
        out_of_time = Clock::now() > until;
        bool hangs = !progress.compiling && time_of(pid) > progress.started_ms + kLimitMs;
        bool large = memory_of(pid) > kMemoryLimit;
        if (out_of_time || hangs || large) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            return hangs ? "took too long" : large ? "needs too much memory" : "";
        }
        usleep(20000);
    }
}

bool parse_arguments(int argc, char **argv, Request &request) {
    for (int i = 1; i < argc; i++) {
        std::string_view word = argv[i];
        uint64_t *number = word == "-seed"      ? &request.first
                           : word == "-count"   ? &request.count
                           : word == "-seconds" ? &request.seconds
                           : word == "-compile" ? &request.compile_every
                                                : nullptr;
        if (word == "-show")
            request.show = true;
        else if (!word.starts_with("-"))
            request.paths.emplace_back(word);
        else if (i + 1 == argc)
            return false;
        else if (number)
            *number = std::strtoull(argv[++i], nullptr, 10);
        else if (word == "-keep")
            request.keep = argv[++i];
        else
            return false;
    }
    if (request.paths.empty())
        for (const char *part : {"testsuite/native/cases", "testsuite/golden", "testsuite/vm", "testsuite/fuzz/corpus",
                                 "tapsets", "tools"})
            request.paths.push_back(tapir::source_dir() + "/" + part);
    return true;
}

}  // namespace

int main(int argc, char **argv) {
    Request request;
    if (!parse_arguments(argc, argv, request)) {
        std::cerr
            << "usage: mutate_scripts [-seed FIRST] [-count N] [-seconds S] [-compile EVERY] [-keep DIRECTORY] [-show]"
               " PATH...\n";
        return 2;
    }
    fuzz::Pool pool = load(request.paths);
    if (pool.scripts.empty()) {
        std::cerr << "no scripts there\n";
        return 2;
    }
    if (request.show) {
        std::cout << fuzz::mutant(pool, request.first);
        return 0;
    }
    void *shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    Progress &progress = *new (shared) Progress{};
    std::string directory = fs::temp_directory_path() / ("tapir-mutants-" + std::to_string(getpid()));
    fs::create_directories(directory);

    auto start = Clock::now();
    auto until = request.seconds ? start + std::chrono::seconds(request.seconds) : Clock::time_point::max();
    uint64_t end = request.seconds ? UINT64_MAX : request.first + request.count, seed = request.first, failures = 0;
    bool out_of_time = false;
    while (seed < end && !out_of_time) {
        progress.seed = seed;
        progress.started_ms = 0;
        progress.compiling = progress.bad_c = false;
        std::cout.flush();
        pid_t pid = fork();
        if (pid < 0) return 2;
        if (pid == 0) {
            rlimit stack{kStack, kStack};
            setrlimit(RLIMIT_STACK, &stack);
            work(request, pool, seed, end, progress, directory);
        }
        std::string why = watch(pid, progress, until, out_of_time);
        seed = progress.seed;
        if (why.empty()) continue;
        std::string file = request.keep + "/mutant-" + std::to_string(seed) + ".stp";
        std::ofstream(file) << fuzz::mutant(pool, seed);
        std::cout << "mutant " << seed << ": " << why << " (" << file << ")\n";
        failures++, seed++;
    }
    fs::remove_all(directory);
    auto took = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - start).count();
    std::cout << "# " << seed - request.first << " mutants of " << pool.scripts.size() << " scripts (" << pool.good
              << " right) in " << took << " s, " << progress.translated << " translated, " << progress.compiled
              << " compiled, " << failures << " failed\n";
    return failures ? 1 : 0;
}
