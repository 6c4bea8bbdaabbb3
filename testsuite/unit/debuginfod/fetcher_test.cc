// SPDX-License-Identifier: GPL-2.0-or-later
// Files by build-id: from stand-ins that answer, refuse, stall and lie, and from elfutils' own server.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "common/files.h"
#include "common/find_program.h"
#include "common/hash.h"
#include "common/process.h"
#include "common/run_program.h"
#include "debuginfod/debug_fetcher.h"
#include "testsuite/unit/debuginfod/stand_in.h"
#include "testsuite/unit/patience.h"

namespace tapir::debuginfod {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

class Fetcher : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "fetcher-XXXXXX").string();
        folder_ = mkdtemp(name.data());
        servers_.cache = folder_ / "cache";
        servers_.stall_s = 2;
        servers_.deadline_s = static_cast<unsigned>(30 * tests::patience());
        file_ = read_file("/proc/self/exe").value_or("");
        id_ = debug_id_of("/proc/self/exe");
        ASSERT_TRUE(is_debug_id(id_)) << id_;
    }
    void TearDown() override { fs::remove_all(folder_); }

    fs::path folder_;
    DebugServers servers_;
    std::string file_, id_;
};

TEST_F(Fetcher, KeepsWhatAServerSends) {
    StandIn server([this](const std::string &) { return http_answer("200 OK", file_); });
    servers_.urls = {server.url()};
    DebugFetcher fetcher(servers_);
    for (int i = 0; i < 2; i++) {
        const Outcome<std::string> found = fetcher.find(FileKind::DebugInfo, id_);
        ASSERT_TRUE(found) << found.fault().message();
        EXPECT_EQ(*found, servers_.cache + "/" + id_ + "/debuginfo");
        EXPECT_EQ(read_file(*found), file_);
    }
    EXPECT_EQ(server.requests(), std::vector<std::string>{"GET /buildid/" + id_ + "/debuginfo HTTP/1.1"});
    EXPECT_FALSE(fetcher.failure());
    // Another process finds it, too, without a server.
    servers_.urls.clear();
    EXPECT_TRUE(DebugFetcher(servers_).find(FileKind::DebugInfo, id_));
    EXPECT_EQ(DebugFetcher(servers_).find(FileKind::Executable, id_).fault().tag, FaultTag::DebugFileMissing);
}

TEST_F(Fetcher, AsksTheNextServerAndRemembersThatThereIsNone) {
    StandIn first([](const std::string &) { return http_answer("404 Not Found", ""); });
    StandIn second([this](const std::string &request) {
        return request.find("/executable ") != std::string::npos ? http_answer("200 OK", file_)
                                                                 : http_answer("404 Not Found", "");
    });
    servers_.urls = {first.url(), second.url()};
    EXPECT_TRUE(DebugFetcher(servers_).find(FileKind::Executable, id_));
    EXPECT_EQ(DebugFetcher(servers_).find(FileKind::DebugInfo, id_).fault().tag, FaultTag::DebugFileMissing);
    EXPECT_EQ(DebugFetcher(servers_).find(FileKind::DebugInfo, id_).fault().message(),
              "no server had a file of build-id " + id_ + " a while ago");
    EXPECT_EQ(first.requests().size(), 2u);
    EXPECT_EQ(second.requests().size(), 2u);
    // For ten minutes.
    const std::string note = servers_.cache + "/" + id_ + "/debuginfo";
    const timespec old[2] = {{time(nullptr) - 700, 0}, {time(nullptr) - 700, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, note.c_str(), old, 0), 0);
    EXPECT_FALSE(DebugFetcher(servers_).find(FileKind::DebugInfo, id_));
    EXPECT_EQ(first.requests().size(), 3u);
}

// Tags: DebugFileMissing, DebugFileNotFetched.
TEST_F(Fetcher, TakesNothingThatIsAnotherFile) {
    int number = 0;
    StandIn server([&number](const std::string &) {
        const char *bodies[] = {"garbage", "",
                                "\x7f"
                                "ELF and no more"};
        return http_answer("200 OK", bodies[number++ % 3]);
    });
    servers_.urls = {server.url()};
    for (int i = 0; i < 3; i++) {
        DebugFetcher fetcher(servers_);
        const Outcome<std::string> found = fetcher.find(FileKind::DebugInfo, id_);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.fault().tag, FaultTag::DebugFileNotFetched);
        EXPECT_EQ(found.fault().message(), server.url() + ": what it sent is not an ELF file of build-id " + id_);
        EXPECT_EQ(fetcher.failure()->message(), found.fault().message());
        // It is not asked again.
        EXPECT_FALSE(fetcher.find(FileKind::Executable, id_));
        EXPECT_EQ(server.requests().size(), static_cast<size_t>(i + 1));
    }
    // Nothing is left of it, and other files of that name are not taken.
    for (const auto &entry : fs::recursive_directory_iterator(servers_.cache))
        EXPECT_FALSE(entry.is_regular_file()) << entry.path();
    fs::create_directories(servers_.cache + "/" + id_);
    ASSERT_TRUE(write_file(servers_.cache + "/" + id_ + "/debuginfo", "planted"));
    EXPECT_FALSE(DebugCache(servers_.cache).find(FileKind::DebugInfo, id_));
}

TEST_F(Fetcher, ComparesTheHashThatABuildServerSends) {
    bool right = false;
    StandIn server([this, &right](const std::string &) {
        return http_answer("200 OK", file_,
                           "X-Tapir-SHA256: " + (right ? sha256(file_) : std::string(64, '0')) + "\r\n");
    });
    servers_.urls = {server.url()};
    EXPECT_EQ(DebugFetcher(servers_).find(FileKind::DebugInfo, id_).fault().message(),
              server.url() + ": the file is damaged: its SHA-256 is another");
    right = true;
    EXPECT_TRUE(DebugFetcher(servers_).find(FileKind::DebugInfo, id_));
}

TEST_F(Fetcher, GivesUpServersThatRefuse) {
    StandIn server([](const std::string &) { return http_answer("403 Forbidden", "no"); });
    // Nothing listens on port 1.
    servers_.urls = {"http://127.0.0.1:1", server.url()};
    DebugFetcher fetcher(servers_);
    const Outcome<std::string> found = fetcher.find(FileKind::DebugInfo, id_);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.fault().message(), server.url() + ": it refuses this client, with HTTP status 403");
    EXPECT_EQ(fetcher.failure()->message().find("http://127.0.0.1:1: "), 0u) << fetcher.failure()->message();
    // That is no proof that there is none.
    EXPECT_FALSE(DebugCache(servers_.cache).is_known_missing(FileKind::DebugInfo, id_));
}

TEST_F(Fetcher, LeavesServersThatStall) {
    int number = 0;
    StandIn server([&number, this](const std::string &) -> std::string {
        // Nothing at all, or a beginning.
        if (number++ == 0) return "";
        return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(file_.size()) + "\r\n\r\n" +
               file_.substr(0, 100) + "\x01more";
    });
    servers_.urls = {server.url()};
    for (int i = 0; i < 2; i++) {
        const Outcome<std::string> found = DebugFetcher(servers_).find(FileKind::DebugInfo, id_);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.fault().message(), server.url() + ": it does not answer in time");
    }
}

TEST_F(Fetcher, EndsAtTheDeadlineOfAllFiles) {
    StandIn server([](const std::string &) { return std::string(); });
    servers_.urls = {server.url()};
    servers_.deadline_s = 1;
    servers_.stall_s = 3600;
    DebugFetcher fetcher(servers_);
    EXPECT_EQ(fetcher.find(FileKind::DebugInfo, id_).fault().message(),
              server.url() + ": not fetched within 1 s (DEBUGINFOD_MAXTIME)");
    EXPECT_FALSE(fetcher.find(FileKind::Executable, id_));
    EXPECT_FALSE(fetcher.find(FileKind::DebugInfo, "00112233"));
    EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(Fetcher, TakesNoFileBeyondTheLimit) {
    bool announced = true;
    StandIn server([&announced](const std::string &) {
        const std::string body(8 << 20, 'x');
        return announced ? http_answer("200 OK", body) : "HTTP/1.0 200 OK\r\n\r\n" + body + "\x01more";
    });
    servers_.urls = {server.url()};
    servers_.most_bytes = 1 << 20;
    for (; announced; announced = false) {
        DebugFetcher fetcher(servers_);
        EXPECT_EQ(fetcher.find(FileKind::DebugInfo, id_).fault().message(),
                  server.url() + ": the file has more than 2 MB (DEBUGINFOD_MAXSIZE)");
    }
}

TEST_F(Fetcher, TellsOfProgressWhereThatIsWanted) {
    StandIn server([this](const std::string &) { return http_answer("200 OK", file_); });
    servers_.urls = {server.url()};
    servers_.progress = true;
    std::vector<std::string> told;
    ASSERT_TRUE(DebugFetcher(servers_, [&told](const std::string &line) {
                    told.push_back(line);
                }).find(FileKind::DebugInfo, id_));
    ASSERT_EQ(told.size(), 2u);
    EXPECT_EQ(told[0], "asking " + server.url() + " for buildid/" + id_ + "/debuginfo");
    EXPECT_TRUE(told[1].starts_with("fetched buildid/" + id_ + "/debuginfo, ")) << told[1];
}

TEST_F(Fetcher, AsksForNothingThatIsNoBuildId) {
    StandIn server([](const std::string &) { return http_answer("404 Not Found", ""); });
    servers_.urls = {server.url()};
    DebugFetcher fetcher(servers_);
    for (const char *id : {"", "../../etc", "ABCDEF0123", "abc", "0123456", "0123456789abcdeg"})
        EXPECT_EQ(fetcher.find(FileKind::DebugInfo, id).fault().tag, FaultTag::DebugFileMissing) << id;
    EXPECT_TRUE(server.requests().empty());
}

TEST_F(Fetcher, ReadsTheVariablesOfElfutils) {
    setenv("DEBUGINFOD_URLS", "http://a.example/ file:///etc https://b.example:8443 ftp://c http://{a,b}", 1);
    setenv("DEBUGINFOD_TIMEOUT", "7", 1);
    setenv("DEBUGINFOD_MAXTIME", "seven", 1);
    setenv("DEBUGINFOD_MAXSIZE", "5000", 1);
    setenv("DEBUGINFOD_PROGRESS", "1", 1);
    setenv("DEBUGINFOD_CACHE_PATH", "/var/cache/x", 1);
    const DebugServers servers = servers_of_environment();
    for (const char *name : {"URLS", "TIMEOUT", "MAXTIME", "MAXSIZE", "PROGRESS", "CACHE_PATH"})
        unsetenv((std::string("DEBUGINFOD_") + name).c_str());
    EXPECT_EQ(servers.urls, (std::vector<std::string>{"http://a.example", "https://b.example:8443"}));
    EXPECT_EQ(servers.stall_s, 7u);
    EXPECT_EQ(servers.deadline_s, 300u);
    EXPECT_EQ(servers.most_bytes, 5000u);
    EXPECT_TRUE(servers.progress);
    EXPECT_EQ(servers.cache, "/var/cache/x");
    EXPECT_TRUE(servers_of_environment().urls.empty());
    EXPECT_TRUE(servers_of_environment().cache.ends_with("/debuginfod_client"));
}

TEST_F(Fetcher, SweepsWhatNothingReads) {
    const DebugCache cache(servers_.cache);
    const std::string other = "00112233445566778899";
    for (const std::string &id : {id_, other}) {
        fs::create_directories(servers_.cache + "/" + id);
        ASSERT_TRUE(write_file(servers_.cache + "/" + id + "/debuginfo", file_));
    }
    const timespec old[2] = {{time(nullptr) - 8 * 86400, 0}, {time(nullptr) - 8 * 86400, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (servers_.cache + "/" + other + "/debuginfo").c_str(), old, 0), 0);
    cache.sweep();
    EXPECT_TRUE(cache.find(FileKind::DebugInfo, id_));
    EXPECT_FALSE(fs::exists(servers_.cache + "/" + other));
}

// elfutils' server finds what its client finds, and each takes what the other has fetched.
TEST_F(Fetcher, AgreesWithElfutils) {
    if (!find_program("debuginfod") || !find_program("debuginfod-find"))
        GTEST_SKIP() << "debuginfod is not installed (packages debuginfod, elfutils)";
    const fs::path served = folder_ / "served";
    fs::create_directories(served);
    fs::copy_file("/proc/self/exe", served / "program");
    Process server;
    Program program{{"debuginfod", "-p", "0", "-d", (folder_ / "debuginfod.sqlite").string(), "-F", served.string()}};
    // It does not tell which port the system chose.
    int port = 0;
    {
        StandIn taken([](const std::string &) { return std::string(); });
        port = std::atoi(taken.url().substr(taken.url().rfind(':') + 1).c_str());
    }
    program.argv[2] = std::to_string(port);
    program.environment = environment_with({"HOME=" + folder_.string()});
    program.output = Stream::nothing();
    program.errors = Stream::file((folder_ / "log").string());
    ASSERT_TRUE(server.start(program));
    servers_.urls = {"http://127.0.0.1:" + std::to_string(port)};
    Outcome<std::string> found = Fault{FaultTag::DebugFileMissing, "not asked"};
    for (int i = 0; i < 300 * tests::patience() && !found && server.alive(); i++) {
        fs::remove_all(servers_.cache);
        found = DebugFetcher(servers_).find(FileKind::Executable, id_);
        if (!found) usleep(100'000);
    }
    ASSERT_TRUE(found) << found.fault().message() << read_file((folder_ / "log").string()).value_or("");
    EXPECT_EQ(read_file(*found), file_);
    EXPECT_EQ(DebugFetcher(servers_).find(FileKind::Executable, "0011223344556677").fault().tag,
              FaultTag::DebugFileMissing);

    const std::vector<std::string> environment =
        environment_with({"DEBUGINFOD_URLS=" + servers_.urls[0], "DEBUGINFOD_CACHE_PATH=" + servers_.cache});
    Collected said, complaints;
    Program find{{"debuginfod-find", "executable", id_}};
    find.environment = environment;
    find.output = Stream::collected(said);
    find.errors = Stream::collected(complaints);
    server.kill();
    // From the cache: the server has gone.
    Outcome<Ending> ended = run_program(find);
    ASSERT_TRUE(ended && ended->good()) << complaints.text;
    EXPECT_EQ(said.text, *found + "\n");
    find.argv[2] = "0011223344556677";
    ended = run_program(find);
    EXPECT_TRUE(ended && !ended->good());
    EXPECT_NE(complaints.text.find("No such file"), std::string::npos) << complaints.text;
}

}  // namespace
}  // namespace tapir::debuginfod
