// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of sessions that followed each other, as one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "common/files.h"
#include "common/run_program.h"
#include "report/capture_folder.h"
#include "report/joined_captures.h"
#include "report/profile.h"
#include "trees.h"
#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

capture::Capture at(const std::string &name, uint64_t started, uint64_t seconds) {
    capture::Capture capture = read_known(name);
    capture.meta.started = started * kSecond;
    capture.meta.duration = seconds * kSecond;
    capture.meta.zone = 0;
    return capture;
}

std::string warnings(const capture::Capture &capture) {
    std::string out;
    for (const capture::Message &message : capture.messages)
        if (message.severity == capture::Severity::Warning) out += message.text + "\n";
    return out;
}

// Stacks by their names, and how many samples they have.
std::map<std::string, std::pair<uint64_t, int64_t>> sums(const capture::Capture &capture) {
    FrameTable frames;
    const Profile profile = make_profile(capture, {}, frames);
    std::map<std::string, std::pair<uint64_t, int64_t>> out;
    for (const Row &row : profile.rows) {
        std::string text;
        for (const uint32_t frame : row.frames)
            text += frames[frame].object + "`" + frames[frame].name + ";";
        auto &sum = out[text];
        sum.first += row.count;
        sum.second += row.value;
    }
    return out;
}

TEST(JoinedCaptures, AddUpStackByStack) {
    JoinedCaptures joined({});
    for (uint64_t i = 0; i < 3; i++)
        ASSERT_TRUE(joined.add(at("clean", 1000 + 10 * i, 10), "c"));
    EXPECT_EQ(joined.count(), 3u);
    const capture::Capture all = joined.take();
    const auto one = sums(read_known("clean")), three = sums(all);
    ASSERT_EQ(one.size(), three.size());
    for (const auto &[stack, sum] : one) {
        EXPECT_EQ(three.at(stack).first, 3 * sum.first) << stack;
        EXPECT_EQ(three.at(stack).second, 3 * sum.second) << stack;
    }
    EXPECT_EQ(all.meta.started, 1000 * kSecond);
    EXPECT_EQ(all.meta.duration, 30 * kSecond);
    EXPECT_EQ(all.stacks.size(), read_known("clean").stacks.size());
    EXPECT_EQ(all.objects.size(), read_known("clean").objects.size());
    EXPECT_EQ(warnings(all), warnings(read_known("clean")));
    EXPECT_EQ(all.damage, "");
}

TEST(JoinedCaptures, OthersStartAtOtherNumbersAndAddresses) {
    // Another boot: the kernel is elsewhere, objects and stacks have other numbers.
    capture::Capture second = at("clean", 1010, 10);
    std::map<uint32_t, capture::Object> objects;
    for (auto &[id, object] : second.objects) {
        object.id = 900 - id;
        objects[object.id] = object;
    }
    second.objects = objects;
    std::map<capture::FrameKey, std::vector<capture::Function>> names;
    const auto move = [](auto frame) {
        if (frame.kind == capture::FrameKind::File) frame.object = 900 - frame.object;
        if (frame.kind == capture::FrameKind::Kernel) frame.place += 0x1000;
        return frame;
    };
    for (const auto &[key, functions] : second.names)
        names[move(key)] = functions;
    second.names = names;
    for (capture::Stack &stack : second.stacks)
        for (capture::Frame &frame : stack.frames)
            frame = move(frame);
    JoinedCaptures joined({});
    ASSERT_TRUE(joined.add(at("clean", 1000, 10), "a"));
    ASSERT_TRUE(joined.add(std::move(second), "b"));
    const auto one = sums(read_known("clean")), both = sums(joined.take());
    ASSERT_EQ(one.size(), both.size());
    for (const auto &[stack, sum] : one)
        EXPECT_EQ(both.at(stack).second, 2 * sum.second) << stack;
}

TEST(JoinedCaptures, AnAddressOfTwoFunctionsStaysTwo) {
    capture::Capture second = at("clean", 1010, 10);
    bool changed = false;
    for (auto &[key, functions] : second.names)
        if (key.kind == capture::FrameKind::Kernel) {
            functions.front().name = "moved_" + functions.front().name;
            changed = true;
        }
    ASSERT_TRUE(changed);
    JoinedCaptures joined({});
    ASSERT_TRUE(joined.add(at("clean", 1000, 10), "a"));
    ASSERT_TRUE(joined.add(std::move(second), "b"));
    std::string text;
    for (const auto &[stack, sum] : sums(joined.take()))
        text += stack + "\n";
    EXPECT_NE(text.find("`moved_"), std::string::npos) << text;
    for (const auto &[stack, sum] : sums(read_known("clean")))
        EXPECT_NE(text.find(stack + "\n"), std::string::npos) << stack;
}

TEST(JoinedCaptures, GapsAndLossesAreTold) {
    JoinedCaptures joined({});
    ASSERT_TRUE(joined.add(at("clean", 86400, 10), "a"));
    ASSERT_TRUE(joined.add(at("clean", 86412, 10), "b"));
    ASSERT_TRUE(joined.add(at("clean", 86423, 10), "c"));
    capture::Capture cut = at("clean", 86433, 10);
    cut.how.clear();
    cut.damage = "it is cut off";
    ASSERT_TRUE(joined.add(std::move(cut), "d"));
    const capture::Capture all = joined.take();
    EXPECT_EQ(warnings(all), warnings(read_known("clean")) +
                                 "no session ran for 3.0 s between the first and the last: 2 gaps, the longest of 2.0 "
                                 "s from 00:00:10 on\n");
    EXPECT_EQ(all.how, "");
    EXPECT_EQ(all.damage, "d: it is cut off");
    EXPECT_EQ(all.meta.duration, 40 * kSecond);
}

TEST(JoinedCaptures, OnlyWhatIsInTheSpan) {
    JoinedCaptures joined({1010 * kSecond, 1020 * kSecond});
    ASSERT_TRUE(joined.add(at("clean", 1000, 9), "before"));
    ASSERT_TRUE(joined.add(at("clean", 1012, 4), "in"));
    ASSERT_TRUE(joined.add(at("clean", 1016, 10), "partly"));
    ASSERT_TRUE(joined.add(at("clean", 1030, 9), "behind"));
    EXPECT_EQ(joined.count(), 2u);
    const capture::Capture all = joined.take();
    EXPECT_NE(warnings(all).find("1 session at the ends of the span count as a whole"), std::string::npos);
    EXPECT_EQ(all.meta.duration, 8 * kSecond);
}

TEST(JoinedCaptures, SamplesWithTimesAreCutAtTheSpan) {
    // One each 10 ms for 4 s.
    JoinedCaptures joined({1002 * kSecond + kSecond / 200, 1011 * kSecond + kSecond / 200});
    ASSERT_TRUE(joined.add(at("timed", 1000, 4), "a"));
    ASSERT_TRUE(joined.add(at("timed", 1010, 4), "b"));
    const capture::Capture all = joined.take();
    const uint64_t count = std::accumulate(all.samples.begin(), all.samples.end(), uint64_t{0},
                                           [](uint64_t sum, const auto &sample) { return sum + sample.count; });
    EXPECT_EQ(count, 200u + 100u);
    for (const capture::Sample &sample : all.samples)
        EXPECT_TRUE((sample.time > 2 * kSecond && sample.time <= 4 * kSecond) ||
                    (sample.time > 10 * kSecond && sample.time <= 11 * kSecond))
            << sample.time;
}

TEST(JoinedCaptures, OfOneScriptOnly) {
    JoinedCaptures joined({});
    ASSERT_TRUE(joined.add(at("clean", 1000, 10), "a"));
    capture::Capture other = at("clean", 1010, 10);
    other.meta.script = "other";
    const Outcome<void> added = joined.add(std::move(other), "b");
    ASSERT_FALSE(added);
    EXPECT_EQ(added.fault().tag, FaultTag::Misuse);
    EXPECT_NE(added.fault().text.find("it is of 'other"), std::string::npos);
}

// The file of a session that was killed has no script in it, wherever it stands.
TEST(JoinedCaptures, KilledSessionsDoNotTellTheirScript) {
    capture::Capture killed = at("clean", 1000, 0);
    killed.meta.script = killed.meta.arguments = killed.meta.unit = killed.meta.title = "";
    killed.stacks.clear();
    killed.samples.clear();
    JoinedCaptures joined({});
    for (const uint64_t start : {1000, 1010, 1020, 1030}) {
        capture::Capture next = start % 20 ? at("clean", start, 10) : killed;
        next.meta.started = start * kSecond;
        ASSERT_TRUE(joined.add(next, "c")) << start;
    }
    capture::Capture other = at("clean", 1040, 10);
    other.meta.script = "other.stp";
    EXPECT_FALSE(joined.add(other, "d"));
    const capture::Capture all = joined.take();
    EXPECT_EQ(all.meta.script, read_known("clean").meta.script);
    EXPECT_EQ(all.meta.unit, read_known("clean").meta.unit);
    EXPECT_EQ(all.meta.started, 1000 * kSecond);
    EXPECT_EQ(all.meta.duration, 20 * kSecond);
}

TEST(Moments, AsUsersWriteThem) {
    setenv("TZ", "UTC", 1);
    tzset();
    const time_t now = 1'000'000'000;  // 2001-09-09 01:46:40
    const auto read = [&](const std::string &text) {
        const Outcome<uint64_t> at = read_moment(text, now);
        return at ? static_cast<int64_t>(*at / kSecond) - now : INT64_MIN;
    };
    EXPECT_EQ(read("10m"), -600);
    EXPECT_EQ(read("1.5h"), -5400);
    EXPECT_EQ(read("90s"), -90);
    EXPECT_EQ(read("1d"), -86400);
    EXPECT_EQ(read("01:46"), -40);
    EXPECT_EQ(read("01:46:30"), -10);
    EXPECT_EQ(read("01:47"), 20 - 86400) << "that was yesterday";
    EXPECT_EQ(read("2001-09-09 01:46:41"), 1);
    EXPECT_EQ(read("2001-09-09T01:46"), -40);
    EXPECT_EQ(read("2001-09-08"), -40 - 46 * 60 - 3600 - 86400);
    EXPECT_EQ(read("@1000000005"), 5);
    for (const char *wrong : {"", "x", "10", "25:00", "10x", "@", "@x", "-5m", "nan"})
        EXPECT_EQ(read(wrong), INT64_MIN) << wrong;
}

class FolderOfCaptures : public ::testing::Test {
  protected:
    struct Result {
        int status;
        std::string output, errors;
    };
    Result run(std::vector<std::string> arguments) {
        Collected output, errors;
        arguments.insert(arguments.begin(), build_dir() + "/bin/stap-report");
        Program program{std::move(arguments)};
        program.directory = directory_.path();
        program.output = Stream::collected(output);
        program.errors = Stream::collected(errors);
        const Outcome<Ending> ended = run_program(program);
        EXPECT_TRUE(ended);
        return {ended ? ended->code() : -1, output.text, errors.text};
    }
    void make(const std::string &name, const std::string &file) {
        Program program{{build_dir() + "/bin/make_capture", name, directory_.path() + "/" + file}};
        const Outcome<Ending> ended = run_program(program);
        EXPECT_TRUE(ended && ended->good());
    }
    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-report")};
};

TEST_F(FolderOfCaptures, IsReadAsOne) {
    for (const char *name : {"1.tapir", "2.tapir", "3.tapir"})
        make("clean", name);
    make("clean", ".now.tapir");
    make("clean", "other");
    const Result folded = run({".", "--format=folded"});
    EXPECT_NE(folded.output.find("# samples: 258 taken"), std::string::npos) << folded.output << folded.errors;
    EXPECT_EQ(run({".", "-o", "all.pb.gz"}).errors, "wrote all.pb.gz: 258 samples, 25.8 ms, all stacks complete\n");
    std::ofstream(directory_.path() + "/4.tapir") << "no capture";
    EXPECT_NE(run({".", "--format=folded"}).errors.find("'./4.tapir' is left out: this is not a capture"),
              std::string::npos);
    std::filesystem::remove(directory_.path() + "/4.tapir");
    EXPECT_EQ(run({".", "--from=2001-09-09", "--to=2001-09-10"}).errors,
              "stap-report: '.': no capture is of that time; without --from and --to, all captures of the folder are "
              "taken\n");
    EXPECT_EQ(run({".", "--from=1h", "--to=2h"}).status, 1);
    EXPECT_EQ(run({".", "--from=yesterday"}).status, 1);
    EXPECT_EQ(run({"1.tapir", "--to=5"}).errors.find("stap-report: --to is for folders of captures"), 0u);
}

}  // namespace
}  // namespace tapir::report
