// SPDX-License-Identifier: GPL-2.0-or-later
// What is cut, unnamed or lost lowers the quality, and the largest cause is named with what to do.
#include <gtest/gtest.h>

#include "report/call_tree.h"
#include "report/known_captures.h"
#include "report/profile.h"

namespace tapir::report {
namespace {

using capture::End;

capture::Capture known(const std::string &name) {
    std::string bytes;
    EXPECT_TRUE(capture::write_known(name, [&bytes](std::string_view part) {
        bytes += part;
        return true;
    }));
    Outcome<capture::Capture> read = capture::parse_capture(bytes);
    EXPECT_TRUE(read);
    return std::move(*read);
}

Quality quality_of(const capture::Capture &capture) {
    FrameTable frames;
    return make_profile(capture, {}, frames).quality;
}

std::string complaint(const std::string &name) {
    return quality_complaint(quality_of(known(name)), 95);
}

TEST(Quality, CleanCaptureIsWhole) {
    const Quality quality = quality_of(known("clean"));
    EXPECT_EQ(quality.percent, 100);
    EXPECT_EQ(quality.complete, 100);
    EXPECT_EQ(quality.taken, 86u);
    EXPECT_EQ(quality.wanted, 9970u);
    EXPECT_TRUE(quality.causes.empty());
    EXPECT_EQ(quality_complaint(quality, 100), "");
}

TEST(Quality, DamagedCaptureMayWantAnyNumber) {
    capture::Capture capture = known("clean");
    capture.meta.hz = capture.meta.duration = UINT64_MAX;
    EXPECT_EQ(quality_of(capture).wanted, UINT64_MAX);
}

TEST(Quality, ComplaintNamesTheCause) {
    const std::string head = "only 85.1 % of samples are whole and named, 95.0 % were asked for; 14.9 %: ";
    EXPECT_EQ(complaint("cut"),
              head +
                  "stacks: cut at the limit of frames (ask for more frames: stacks(), or callers(-1) and "
                  "ucallers(-1), walk to the root)");
    EXPECT_EQ(complaint("stripped"),
              head +
                  "stacks with frames without a name in /usr/lib/libc.so.6 (install the debug symbols "
                  "of /usr/lib/libc.so.6, or do not strip it)");
    EXPECT_EQ(complaint("full"),
              head + "stacks: stack table full (give the table more room with --stack-memory=MEGABYTES)");
    EXPECT_EQ(complaint("dropped"),
              head + "output dropped (give the buffers more room with -s MEGABYTES, or print less)");
    EXPECT_EQ(complaint("array"), head + "array full (give arrays more room with -DMAXMAPENTRIES=N)");
    EXPECT_EQ(complaint("skipped"), head + "hits skipped: busy");
    EXPECT_EQ(complaint("killed"),
              "the capture is not sealed: it is cut off: the program that wrote it was killed, or is not done yet");
    EXPECT_EQ(complaint("clean"), "");
}

TEST(Quality, LimitDecides) {
    const Quality quality = quality_of(known("cut"));
    EXPECT_NE(quality_complaint(quality, 86), "");
    EXPECT_EQ(quality_complaint(quality, 85), "");
    // A capture without its end is never good enough.
    EXPECT_NE(quality_complaint(quality_of(known("killed")), 0), "");
}

// What is lost and what is cut add up; the larger one is named.
TEST(Quality, CausesAddUp) {
    capture::Capture capture = known("cut");
    capture.losses[static_cast<size_t>(capture::Loss::Output)] = 101;
    const Quality quality = quality_of(capture);
    ASSERT_EQ(quality.causes.size(), 2u);
    EXPECT_EQ(quality.causes[0].text, "output dropped");
    EXPECT_NEAR(quality.causes[0].percent, 50, 1e-9);
    EXPECT_NEAR(quality.percent, 50 - 100 * 0.5 * 1500 / 10100, 1e-9);
    EXPECT_NEAR(quality.complete, 100 - 100.0 * 1500 / 10100, 1e-9);
}

// A kernel thread has no user stack; that is no fault.
TEST(Quality, MissingPartsAreNoFault) {
    capture::Capture capture = known("clean");
    for (capture::Stack &stack : capture.stacks)
        stack.user = End::Foreign;
    EXPECT_EQ(quality_of(capture).percent, 100);
    for (capture::Stack &stack : capture.stacks)
        stack.kernel = End::Fault;
    EXPECT_EQ(quality_of(capture).percent, 0);
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
    const capture::Capture unknown = known("unknown");
    const Quality quality = quality_of(unknown);
    EXPECT_EQ(quality.percent, 0);
    EXPECT_EQ(quality.complete, 0);
    EXPECT_EQ(quality.taken, 10u);
    std::vector<std::string> texts;
    for (const Cause &cause : quality.causes)
        texts.push_back(cause.text);
    EXPECT_EQ(texts, (std::vector<std::string>{"stacks: no stack", "stacks: stack missing in the capture",
                                               "stacks: program of another machine",
                                               "stacks: program being replaced by exec"}));
}

TEST(Quality, SumsBelowZeroAreCounted) {
    capture::Capture capture = known("clean");
    capture.samples[0].sum = -5;
    EXPECT_EQ(quality_of(capture).negative, 20u);
}

// Where a stack is not complete, a box says so, and it merges with no other.
TEST(Stacks, EndsAreMarked) {
    FrameTable frames;
    const Profile profile = make_profile(known("cut"), {}, frames);
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
    const Profile profile = make_profile(known("stripped"), {}, frames);
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
    const Profile after = make_profile(known("after"), {}, frames), before = make_profile(known("before"), {}, frames);
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
