// SPDX-License-Identifier: GPL-2.0-or-later
// Cut, unnamed and lost samples lower the quality; the message names the largest cause and its remedy.
#include <gtest/gtest.h>

#include "report/call_tree.h"
#include "report/profile.h"
#include "report/trust.h"
#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

using capture::End;

Quality quality_of(const capture::Capture &capture) {
    FrameTable frames;
    return make_profile(capture, {}, frames).quality;
}

std::string complaint(const std::string &name) {
    return quality_complaint(quality_of(read_known(name)), 95);
}

TEST(Quality, CleanCaptureIsWhole) {
    const Quality quality = quality_of(read_known("clean"));
    EXPECT_EQ(quality.complete, 100);
    EXPECT_EQ(quality.cut, 0);
    EXPECT_EQ(quality.lost, 0);
    EXPECT_EQ(quality.unnamed, 0);
    EXPECT_EQ(quality.taken, 86u);
    EXPECT_EQ(quality.wanted, 9970u);
    EXPECT_TRUE(quality.causes.empty());
    EXPECT_EQ(quality_complaint(quality, 100), "");
}

TEST(Quality, DamagedCaptureMayWantAnyNumber) {
    capture::Capture capture = read_known("clean");
    capture.meta.hz = capture.meta.duration = UINT64_MAX;
    EXPECT_EQ(quality_of(capture).wanted, UINT64_MAX);
}

TEST(Quality, ComplaintNamesTheCause) {
    const std::string head = "only 85.1 % of the samples are complete, 95.0 % were asked for; 14.9 %: ";
    EXPECT_EQ(complaint("cut"),
              head +
                  "stacks: cut at the limit of frames (ask for more frames: stacks(), or callers(-1) and "
                  "ucallers(-1), walk to the root)");
    // No advice that the script follows already.
    EXPECT_EQ(complaint("deep"), head +
                                     "stacks: more frames than are kept (a stack has 128 frames of the kernel and "
                                     "2,048 in all at most; no setting gives more)");
    EXPECT_EQ(complaint("overflow"),
              head + "sums too large for 64 bits (sample values in a larger unit, such as value / 1000)");
    EXPECT_EQ(complaint("full"),
              head + "stacks: stack table full (give the table more room with --stack-memory=MEGABYTES)");
    EXPECT_EQ(complaint("dropped"),
              head + "output dropped (give the buffers more room with -s MEGABYTES, or print less)");
    EXPECT_EQ(complaint("array"),
              head + "array full (take fewer samples, or give arrays more room with -DMAXMAPENTRIES=N)");
    EXPECT_EQ(complaint("skipped"), head + "hits skipped: busy");
    EXPECT_EQ(complaint("killed"),
              "the capture is not sealed: it is cut off: the program that wrote it was killed, or is not done yet");
    EXPECT_EQ(complaint("clean"), "");
    // It is all there; names are another matter.
    EXPECT_EQ(complaint("stripped"), "");
}

// The four figures are different facts: each of these captures has one of them, of which the sums are known.
TEST(Quality, FiguresAreTold) {
    const auto text = [](const char *name) { return quality_text(quality_of(read_known(name))); };
    EXPECT_EQ(text("clean"), "100 % complete, 0 % cut, 0 % lost; 0 % without a name");
    EXPECT_EQ(text("cut"), "85.1 % complete, 14.9 % cut, 0 % lost; 0 % without a name");
    EXPECT_EQ(text("dropped"), "85.1 % complete, 0 % cut, 14.9 % lost; 0 % without a name");
    EXPECT_EQ(text("full"), "85.1 % complete, 0 % cut, 14.9 % lost; 0 % without a name");
    // 1,500 samples of 3 boxes, two without a name; beside them 2,000 of 4, 3,500 of 5, 700 of 5, 1,100 of 6, 300 of 4,
    // 400 of 3 and 600 of 3 boxes.
    const Quality stripped = quality_of(read_known("stripped"));
    EXPECT_EQ(stripped.complete, 100);
    EXPECT_NEAR(stripped.unnamed,
                100.0 * 1500 * 2 / (1500 * 3 + 2000 * 4 + 3500 * 5 + 700 * 5 + 1100 * 6 + 300 * 4 + 400 * 3 + 600 * 3),
                1e-9);
    ASSERT_EQ(stripped.nameless.size(), 1u);
    EXPECT_EQ(stripped.nameless[0].text, "in /usr/lib/libc.so.6");
    EXPECT_EQ(stripped.nameless[0].object, "/usr/lib/libc.so.6");
    EXPECT_EQ(stripped.nameless[0].percent, stripped.unnamed);
    EXPECT_TRUE(stripped.causes.empty());
}

// Boxes that are no code, labels and marks, count in neither sum.
TEST(Quality, NamesAreCountedByTheWidthOfBoxes) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    out.sample({"main", "!libc.so.6"}, 3, 0, {{"label", "request", 0}});
    out.sample({"main", "work", "work"}, 1, 0);
    ASSERT_TRUE(out.writer().finish("finished"));
    EXPECT_NEAR(quality_of(*capture::parse_capture(bytes)).unnamed, 100.0 * 3 / (3 * 2 + 3), 1e-9);
}

TEST(Quality, LimitDecides) {
    const Quality quality = quality_of(read_known("cut"));
    EXPECT_NE(quality_complaint(quality, 86), "");
    EXPECT_EQ(quality_complaint(quality, 85), "");
    // A capture without its end is never good enough.
    EXPECT_NE(quality_complaint(quality_of(read_known("killed")), 0), "");
}

// Lost and cut samples add up; the message names the larger cause.
TEST(Quality, CausesAddUp) {
    capture::Capture capture = read_known("cut");
    capture.losses[static_cast<size_t>(capture::Loss::Output)] = 101;
    const Quality quality = quality_of(capture);
    ASSERT_EQ(quality.causes.size(), 2u);
    EXPECT_EQ(quality.causes[0].text, "output dropped");
    EXPECT_NEAR(quality.causes[0].percent, 50, 1e-9);
    EXPECT_NEAR(quality.lost, 50, 1e-9);
    EXPECT_NEAR(quality.cut, 100 * 0.5 * 1500 / 10100, 1e-9);
    EXPECT_NEAR(quality.complete, 50 - 100 * 0.5 * 1500 / 10100, 1e-9);
}

// A kernel thread has no user stack; that is no fault.
TEST(Quality, MissingPartsAreNoFault) {
    capture::Capture capture = read_known("clean");
    for (capture::Stack &stack : capture.stacks)
        stack.user = End::Foreign;
    EXPECT_EQ(quality_of(capture).complete, 100);
    for (capture::Stack &stack : capture.stacks)
        stack.kernel = End::Fault;
    EXPECT_EQ(quality_of(capture).complete, 0);
    EXPECT_EQ(quality_of(capture).cut, 100);
}

TEST(Quality, NothingIsRoundedToWholeOrNothing) {
    EXPECT_EQ(percent_text(100), "100 %");
    EXPECT_EQ(percent_text(99.999), "> 99.99 %");
    EXPECT_EQ(percent_text(99.97), "99.97 %");
    EXPECT_EQ(percent_text(12.34), "12.3 %");
    EXPECT_EQ(percent_text(0.001), "< 0.01 %");
    EXPECT_EQ(percent_text(0), "0 %");
}

// Samples without any frame are in the picture, each with why, and none of them is whole.
TEST(Quality, StacksWithoutFramesAreCounted) {
    const capture::Capture unknown = read_known("unknown");
    const Quality quality = quality_of(unknown);
    EXPECT_EQ(quality.complete, 0);
    // A stack that the capture does not have is lost; the others have none, and that is known.
    EXPECT_NEAR(quality.lost, 30, 1e-9);
    EXPECT_NEAR(quality.cut, 70, 1e-9);
    EXPECT_EQ(quality.taken, 10u);
    std::vector<std::string> texts;
    for (const Cause &cause : quality.causes)
        texts.push_back(cause.text);
    EXPECT_EQ(texts, (std::vector<std::string>{"stacks: no stack", "stacks: stack missing in the capture",
                                               "stacks: program of another machine",
                                               "stacks: program being replaced by exec"}));
}

// The values of one stack, each of a place of its own, as a script's lines in one function have them.
capture::Capture of_values(const std::vector<int64_t> &values, std::vector<capture::Label> labels = {},
                           bool times = false) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    capture::Meta meta;
    meta.unit = "bytes";
    out.writer().meta(meta);
    uint64_t number = 0;
    for (const int64_t value : values) {
        number++;
        const capture::Frame place = {capture::FrameKind::File, 0, 77, number, ""};
        out.writer().name(place, {{"keeps", "", 0, 0}});
        out.writer().stack({500 + number, End::None, End::Complete, {place}});
        out.writer().sample({500 + number, 0, 1, value, times ? number * 1000 : 0, labels});
    }
    EXPECT_TRUE(out.writer().finish("finished"));
    return *capture::parse_capture(bytes);
}

// A function's taken and returned memory adds up, in all its places.
TEST(Quality, SumsAreMadeByNameBeforeThoseBelowZeroAreLeftOut) {
    for (const bool times : {false, true}) {
        FrameTable frames;
        const Profile profile = make_profile(of_values({-20, 30}, {}, times), {}, frames);
        EXPECT_EQ(profile.total, 10);
        EXPECT_EQ(profile.quality.negative, 0u);
        EXPECT_EQ(profile.quality.taken, 2u);
        EXPECT_EQ(profile.quality.complete, 100);
    }
    FrameTable frames;
    const Profile below = make_profile(of_values({-50, 30}), {}, frames);
    EXPECT_EQ(below.total, 0);
    EXPECT_TRUE(below.rows.empty());
    EXPECT_EQ(below.quality.negative, 2u);
    EXPECT_EQ(below.quality.negative_sum, -20);
    EXPECT_EQ(trust_of(below).text, "all stacks complete, 2 samples not shown (-20 bytes)");
    EXPECT_EQ(quality_lines(below).back(), "not shown: 2 samples of stacks whose sum is not above zero (-20 bytes)");
}

TEST(Quality, SumsBelowZeroAreCounted) {
    capture::Capture capture = read_known("clean");
    capture.samples[0].sum = -5;
    const Quality quality = quality_of(capture);
    EXPECT_EQ(quality.negative, 20u);
    EXPECT_EQ(quality.negative_sum, -5);
}

// Up to 2^62 can be drawn; what does not fit beside it is told of.
TEST(Quality, SumsThatDoNotFitAreLost) {
    FrameTable frames;
    const Profile profile = make_profile(of_values(std::vector<int64_t>(6, int64_t{1} << 61)), {}, frames);
    EXPECT_EQ(profile.quality.taken, 1u);
    EXPECT_NEAR(profile.quality.lost, 100.0 * 5 / 6, 1e-9);
    ASSERT_FALSE(profile.quality.causes.empty());
    EXPECT_EQ(profile.quality.causes[0].text, "sums too large for 64 bits");
    EXPECT_NE(quality_complaint(profile.quality, 95), "");
}

// Where a stack is not complete, a box says so, and it merges with no other.
TEST(Stacks, EndsAreMarked) {
    FrameTable frames;
    const Profile profile = make_profile(read_known("cut"), {}, frames);
    size_t marked = 0;
    for (const Row &row : profile.rows)
        if (frames[row.frames[0]].name == "[cut at the limit of frames]") {
            marked++;
            EXPECT_EQ(row.frames.size(), 28u);
            EXPECT_EQ(frames[row.frames[0]].origin, Origin::Mark);
        }
    EXPECT_EQ(marked, 1u);
}

// Places without names are one box for each file.
TEST(Stacks, UnnamedFramesOfAFileAreOne) {
    FrameTable frames;
    const Profile profile = make_profile(read_known("stripped"), {}, frames);
    const Row &row = profile.rows.back();
    ASSERT_EQ(row.frames.size(), 3u);
    EXPECT_EQ(row.frames[1], row.frames[2]);
    EXPECT_EQ(frames[row.frames[1]].name, "[libc.so.6]");
    EXPECT_FALSE(frames[row.frames[1]].resolved);
}

// The thread that waits, "--", and who woke it, upside down.
TEST(Stacks, WakerFollowsUpsideDown) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    const uint64_t waiting = out.stack({"main", "wait"}), waker = out.stack({"start", "wake"});
    out.writer().sample({waiting, waker, 1, 1, 0, {{"label", "request=/a", 0}}});
    ASSERT_TRUE(out.writer().finish("finished"));
    FrameTable frames;
    const Profile profile = make_profile(*capture::parse_capture(bytes), {}, frames);
    std::string names;
    for (const uint32_t frame : profile.rows.at(0).frames)
        names += frames[frame].name + ";";
    EXPECT_EQ(names, "request=/a;main;wait;--;wake;start;");
}

// Each stack as it is in pictures, with what a wait is put below.
std::string grouped(const std::vector<std::string> &root_first, const std::string &label = "",
                    const std::string &clock = "probe") {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    capture::Meta meta;
    meta.clock = clock;
    out.writer().meta(meta);
    std::vector<capture::Label> labels;
    if (!label.empty()) labels.push_back({"label", label, 0});
    out.sample(root_first, 1, 1, labels);
    EXPECT_TRUE(out.writer().finish("finished"));
    FrameTable frames;
    const Profile profile = make_profile(*capture::parse_capture(bytes), {}, frames);
    std::string names;
    for (const uint32_t frame : profile.rows.at(0).frames) {
        if (frames[frame].name != label) {
            EXPECT_EQ(frames[frame].name[0] == '[', frames[frame].origin == Origin::Mark);
        }
        names += frames[frame].name + ";";
    }
    return names;
}

TEST(Stacks, IdleWaitsAreGrouped) {
    EXPECT_EQ(grouped({"main", "epoll_wait", "k!do_epoll_wait", "k!schedule", "k!__schedule"}),
              "[idle];[waits for events];main;epoll_wait;do_epoll_wait;schedule;__schedule;");
    EXPECT_EQ(grouped({"main", "k!inet_csk_accept", "k!finish_task_switch.isra.0"}, "sleeping"),
              "sleeping;[idle];[waits for connections];main;inet_csk_accept;finish_task_switch.isra.0;");
    EXPECT_EQ(grouped({"pool_thread", "pthread_cond_wait@@GLIBC_2.3.2", "k!futex_wait", "k!schedule"}),
              "[idle];[waits for work];pool_thread;pthread_cond_wait@@GLIBC_2.3.2;futex_wait;schedule;");
    // Somebody waits for these: an answer, a lock, the disk.
    EXPECT_EQ(grouped({"main", "ask", "pthread_cond_wait", "k!futex_wait", "k!schedule"}),
              "main;ask;pthread_cond_wait;futex_wait;schedule;");
    EXPECT_EQ(grouped({"worker", "pthread_mutex_lock", "k!futex_wait", "k!schedule"}),
              "worker;pthread_mutex_lock;futex_wait;schedule;");
    // And these do not wait: the kernel looks for events, or a clock has met the scheduler at work.
    EXPECT_EQ(grouped({"main", "k!do_epoll_wait", "k!schedule"}, "running"), "running;main;do_epoll_wait;schedule;");
    EXPECT_EQ(grouped({"main", "k!do_epoll_wait", "k!schedule"}, "", "soft"), "main;do_epoll_wait;schedule;");
    EXPECT_EQ(grouped({"main", "k!do_epoll_wait", "k!schedule", "k!pick_next_task"}),
              "main;do_epoll_wait;schedule;pick_next_task;");
    EXPECT_EQ(grouped({"main", "epoll_wait", "k!do_epoll_wait"}), "main;epoll_wait;do_epoll_wait;");
}

TEST(Difference, IsToldFromNoise) {
    FrameTable frames;
    const Profile after = make_profile(read_known("after"), {}, frames),
                  before = make_profile(read_known("before"), {}, frames);
    const CallTree tree = make_tree(after, &before, frames);
    std::map<std::string, Change> changes;
    for (size_t i = 1; i < tree.nodes.size(); i++)
        changes[frames[tree.nodes[i].frame].name] = difference(tree.nodes[i], tree.nodes[0]).change;
    EXPECT_EQ(changes.at("new_way"), Change::New);
    EXPECT_EQ(changes.at("old_way"), Change::Gone);
    EXPECT_EQ(changes.at("render"), Change::More);
    EXPECT_EQ(changes.at("start_thread"), Change::Noise);
    EXPECT_EQ(tree.nodes[0].total, after.total);
    EXPECT_EQ(tree.nodes[0].old_total, before.total);
}

}  // namespace
}  // namespace tapir::report
