// SPDX-License-Identifier: GPL-2.0-or-later
// The origin of a picture, and how far it can be trusted.
#include "report/origin.h"

#include "report/trust.h"
#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

capture::Meta redis() {
    capture::Meta meta;
    meta.title = "CPU time";
    meta.unit = "samples";
    meta.clock = "soft";
    meta.kernel = "6.1.0-56";
    meta.host = "web1";
    meta.hz = 997;
    meta.cpus = 2;
    meta.started = 1'795'838'100'000'000'000;  // 28 November 2026, 03:55 UTC
    meta.duration = 10'940'000'000;
    meta.command = "stap -o redis.html -x 411 -T 4 oncpu.stp";
    meta.target = "redis-server *:6379";
    meta.program = "/usr/bin/redis-server";
    meta.pid = 411;
    meta.zone = 3600;
    return meta;
}

MadeProfile made(const capture::Meta &meta, uint64_t samples = 716, const ProfileOptions &options = {}) {
    return MadeProfile(
        [&](capture::KnownCapture &out) {
            out.writer().meta(meta);
            if (samples) out.sample({"main"}, samples, static_cast<int64_t>(samples));
        },
        options);
}

TEST(PictureOrigin, OfProcessorTime) {
    const MadeProfile profile = made(redis());
    const PictureOrigin origin = origin_of(profile.picture());
    EXPECT_EQ(heading_of(origin), "redis-server: CPU time");
    EXPECT_EQ(origin.amount, "716 samples, 718 ms of processor time in 10.9 s");
    EXPECT_EQ(origin.total, "718 ms");
    EXPECT_EQ(origin.target, "redis-server *:6379");
    EXPECT_EQ(origin_line(origin),
              "stap -o redis.html -x 411 -T 4 oncpu.stp · web1 · Linux 6.1.0-56 · 2 CPUs, 997 Hz · "
              "28 Nov 2026, 04:55 +01:00");
}

// --count counts on both sides, with any clock.
TEST(PictureOrigin, OfCountsBefore) {
    ProfileOptions options;
    options.by_count = true;
    capture::Meta waits = redis();
    waits.title = "off-CPU time";
    waits.unit = "microseconds";
    waits.clock = "probe";
    waits.hz = 0;
    const MadeProfile now = made(waits, 3000, options), then = made(redis(), 561, options);
    const PictureOrigin origin = origin_of(Picture{now.frames, now.profile, &then.profile});
    EXPECT_EQ(heading_of(origin), "redis-server: off-CPU time (number of samples)");
    EXPECT_EQ(origin.amount, "3,000 samples in 10.9 s, before 561 samples");
}

TEST(PictureOrigin, OfNothingSinceBefore) {
    const MadeProfile now = made(redis(), 0), then = made(redis());
    EXPECT_EQ(origin_lines(Picture{now.frames, now.profile, &then.profile}).front(),
              "redis-server: CPU time, no samples, before 718 ms");
}

TEST(PictureOrigin, OfWaits) {
    const std::vector<capture::Label> one = capture::thread_labels(1, 1, "a"), two = capture::thread_labels(1, 2, "b");
    const auto waits = [&](bool threads) {
        return MadeProfile([&](capture::KnownCapture &out) {
            capture::Meta meta = redis();
            meta.unit = "microseconds";
            meta.title = "waiting time";
            meta.clock = "probe";
            meta.hz = 0;
            out.writer().meta(meta);
            out.sample({"main", "k!futex_wait", "k!schedule"}, 700, 7'000'000,
                       threads ? one : std::vector<capture::Label>());
            out.sample({"main", "k!futex_wait", "k!schedule"}, 3, 650'000,
                       threads ? two : std::vector<capture::Label>());
        });
    };
    EXPECT_EQ(origin_of(waits(true).picture()).amount, "703 waits, 7.65 s in 2 threads");
    // How many threads there were is not known.
    EXPECT_EQ(origin_of(waits(false).picture()).amount, "703 waits, 7.65 s in 10.9 s");
    EXPECT_EQ(origin_of(waits(false).picture()).cpus, "2 CPUs");
}

TEST(PictureOrigin, OfOtherValues) {
    capture::Meta meta = redis();
    meta.clock = "probe";
    meta.hz = 0;
    EXPECT_EQ(origin_of(made(meta, 1).picture()).amount, "1 sample in 10.9 s");
    meta.unit = "bytes";
    EXPECT_EQ(origin_of(made(meta, 4096).picture()).amount, "4,096 samples, 4.00 KiB in 10.9 s");
    meta.unit = "faults";
    meta.duration = 0;
    EXPECT_EQ(origin_of(made(meta, 7).picture()).amount, "7 samples, 7 faults");
}

TEST(PictureOrigin, OfWhatIsNotKnown) {
    capture::Meta meta;
    meta.title = "Stacks";
    EXPECT_EQ(heading_of(origin_of(made(meta).picture())), "Stacks") << "an older capture does not tell";
    EXPECT_EQ(origin_line(origin_of(made(meta).picture())), "");
    meta.command = "stap oncpu.stp";
    EXPECT_EQ(heading_of(origin_of(made(meta).picture())), "whole machine: Stacks");
    meta.pid = 7;
    EXPECT_EQ(heading_of(origin_of(made(meta).picture())), "process 7: Stacks");
    EXPECT_EQ(origin_of(made(meta, 0).picture()).amount, "");
}

TEST(PictureOrigin, TellsWhatWasBefore) {
    FrameTable frames;
    Profile now, before;
    now.unit = before.unit = "microseconds";
    now.total = 7'651'000;
    before.total = 1'740'000;
    now.count = before.count = 2;
    now.threads.resize(1);
    before.threads.resize(1);
    const std::vector<uint32_t> stack = {
        frames.number({"main", "/usr/bin/server", "", 0, Origin::Program, true, false})};
    now.rows.push_back({stack, 2, now.total, 0, 0, 0});
    before.rows.push_back({stack, 2, before.total, 0, 0, 0});
    before.meta.host = "web2";
    const Picture picture{frames, now, &before};
    EXPECT_EQ(origin_of(picture).amount, "2 samples, 7.65 s, before 1.74 s");
    EXPECT_EQ(origin_before(picture).total, "1.74 s");
    EXPECT_EQ(origin_before(picture).host, "web2");
}

TEST(PictureOrigin, HostileTextsAreBounded) {
    capture::Meta meta = redis();
    meta.command = "stap \x1b[31m" + std::string(1'000'000, 'x');
    meta.program = "/tmp/\n<script>";
    meta.host = "\xff";
    meta.hz = meta.cpus = meta.started = meta.duration = UINT64_MAX;
    meta.zone = INT64_MIN;
    const MadeProfile profile = made(meta);
    const PictureOrigin origin = origin_of(profile.picture());
    EXPECT_LT(origin.command.size(), 1100u);
    EXPECT_EQ(origin.command.find('\x1b'), std::string::npos);
    EXPECT_EQ(origin.program, "\xef\xbf\xbd<script>");
    EXPECT_EQ(origin.host, "\xef\xbf\xbd");
    EXPECT_EQ(origin.cpus, "18,446,744,073,709,551,615 CPUs, 18,446,744,073,709,551,615 Hz");
    EXPECT_EQ(origin.date, "21 Jul 2554, 23:34 UTC");
}

TEST(PictureOrigin, Dates) {
    EXPECT_EQ(date_text(0, 0), "");
    EXPECT_EQ(date_text(1'000'000'000, 0), "1 Jan 1970, 00:00 UTC");
    EXPECT_EQ(date_text(1'795'838'100'000'000'000, -12'600), "28 Nov 2026, 00:25 -03:30");
    EXPECT_EQ(date_text(1'795'838'100'000'000'000, 20'700), "28 Nov 2026, 09:40 +05:45");
}

TEST(Trust, VerdictIsOfWhatMisleads) {
    const auto trust = [](const std::string &name, double least = 95) {
        ProfileOptions options;
        options.min_quality = least;
        return trust_of(MadeProfile(name, options).profile);
    };
    EXPECT_EQ(trust("clean").state, TrustState::Good);
    EXPECT_EQ(trust("clean").text, "all stacks complete");
    EXPECT_EQ(trust("clean").causes, 0u);
    // 15 of 101 samples.
    const Trust cut = trust("cut");
    EXPECT_EQ(cut.state, TrustState::Bad);
    EXPECT_EQ(cut.text, "15 % of stacks cut");
    ASSERT_EQ(cut.causes, 1u);
    EXPECT_EQ(cut.lines[0].text, "15 %: stacks: cut at the limit of frames");
    EXPECT_EQ(cut.lines[0].remedy, capture::end_hint(capture::End::Cut));
    EXPECT_EQ(trust("cut", 80).state, TrustState::Part);
    EXPECT_EQ(trust("dropped").text, "15 % of samples lost");
    EXPECT_EQ(trust("killed").text, "capture not sealed");
    EXPECT_EQ(trust("killed").state, TrustState::Bad);
    EXPECT_EQ(trust("nothing").text, "no samples");
}

// 6.8 % of the boxes' width has no name: that is told, and changes nothing.
TEST(Trust, NamesAreANotice) {
    const Trust trust = trust_of(MadeProfile("stripped").profile);
    EXPECT_EQ(trust.state, TrustState::Good);
    EXPECT_EQ(trust.text, "all stacks complete");
    EXPECT_EQ(trust.causes, 0u);
    ASSERT_FALSE(trust.lines.empty());
    EXPECT_EQ(trust.lines[0].text, "6.8 % of the boxes' width has no name, in /usr/lib/libc.so.6");
    EXPECT_EQ(trust.lines[0].remedy, "stap-prep /usr/lib/libc.so.6");
    EXPECT_STREQ(trust_word(TrustState::Part), "part");
}

}  // namespace
}  // namespace tapir::report
