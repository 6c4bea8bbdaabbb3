// SPDX-License-Identifier: GPL-2.0-or-later
#include "fixture.h"

namespace tapir::test {
namespace {

const tapir_site kDivision = {"operator '/' at t.stp:2:5"};
const tapir_site kCall = {"identifier 'f' at t.stp:9:1"};
const tapir_site kOuter = {"identifier 'g' at t.stp:12:3"};

class Errors : public Runtime {};

TEST_F(Errors, ReportNamesPlaceFramesAndProbe) {
    tapir_error_div0(c_, &kDivision);
    tapir_error_frame(c_, &kCall);
    tapir_handler_finish(c_);
    EXPECT_EQ(take(TAPIR_REC_ERROR),
              "division by 0 near operator '/' at t.stp:2:5 (called from identifier 'f' at t.stp:9:1) in probe "
              "kernel.function(\"vfs_read\")");
    EXPECT_EQ(tapir_host_errors(), 1u);
    EXPECT_TRUE(tapir_host_exit_requested());
}

TEST_F(Errors, ReportWithoutSiteEndsWithTheProbe) {
    tapir_error(c_, nullptr, "bad");
    tapir_handler_finish(c_);
    EXPECT_EQ(take(TAPIR_REC_ERROR), "bad in probe kernel.function(\"vfs_read\")");
}

TEST_F(Errors, FirstErrorWins) {
    tapir_error(c_, &kDivision, "first");
    tapir_errorf(c_, &kCall, "second %d", 2);
    tapir_error_site(c_, &kCall);
    EXPECT_STREQ(c_->message, "first");
    EXPECT_EQ(c_->site, &kDivision);
}

TEST_F(Errors, SiteIsAddedWhenMissing) {
    tapir_error_site(c_, &kCall);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_NONE);
    tapir_error(c_, nullptr, "bad");
    tapir_error_site(c_, &kDivision);
    EXPECT_EQ(c_->site, &kDivision);
}

TEST_F(Errors, FramesAreBounded) {
    tapir_error(c_, &kDivision, "deep");
    for (int i = 0; i < 100; i++)
        tapir_error_frame(c_, &kCall);
    EXPECT_EQ(c_->trace_len, TAPIR_TRACE_MAX);
    tapir_handler_finish(c_);
    EXPECT_EQ(take(TAPIR_REC_ERROR).size(), Buffer::cap - 1);
}

TEST_F(Errors, FramesOfACaughtErrorAreForgotten) {
    tapir_error(c_, &kDivision, "one");
    tapir_error_frame(c_, &kCall);
    ASSERT_TRUE(tapir_error_catch(c_, nullptr, 0));
    tapir_error(c_, nullptr, "two");
    tapir_error_frame(c_, &kOuter);
    tapir_handler_finish(c_);
    EXPECT_EQ(take(TAPIR_REC_ERROR),
              "two (called from identifier 'g' at t.stp:12:3) in probe kernel.function(\"vfs_read\")");
}

TEST_F(Errors, CatchCopiesTheMessageAndClears) {
    Buffer b;
    EXPECT_FALSE(tapir_error_catch(c_, b.text, Buffer::cap));
    tapir_errorf(c_, &kDivision, "%s %d %u %lx %llx %lld %c%%", "x", -5, 7u, 255ul, 0xabcull, -1ll << 63, 'q');
    EXPECT_TRUE(tapir_error_catch(c_, b.text, Buffer::cap));
    EXPECT_STREQ(b.text, "x -5 7 ff abc -9223372036854775808 q%");
    EXPECT_EQ(c_->failed, TAPIR_FAIL_NONE);
    tapir_handler_finish(c_);
    EXPECT_EQ(tapir_host_errors(), 0u);
}

TEST_F(Errors, CatchCutsAtTheCapacity) {
    Buffer b;
    tapir_error(c_, nullptr, std::string(300, 'm').c_str());
    EXPECT_TRUE(tapir_error_catch(c_, b.text, Buffer::cap));
    EXPECT_EQ(std::string(b.text), std::string(Buffer::cap - 1, 'm'));
}

TEST_F(Errors, MessageIsCutAtItsMaximum) {
    tapir_error(c_, nullptr, std::string(2000, 'm').c_str());
    EXPECT_EQ(std::string(c_->message), std::string(TAPIR_MESSAGE_MAX - 1, 'm'));
}

TEST_F(Errors, ActionExhaustionIsNotCaught) {
    tapir_error_actions(c_, &kDivision);
    EXPECT_FALSE(tapir_error_catch(c_, nullptr, 0));
    tapir_handler_finish(c_);
    EXPECT_EQ(take(TAPIR_REC_ERROR),
              "MAXACTION exceeded near operator '/' at t.stp:2:5 in probe kernel.function(\"vfs_read\")"
              " (a handler may run 10000 statements)");
}

TEST_F(Errors, NestingIsCaught) {
    Buffer b;
    tapir_error_nesting(c_, &kDivision);
    EXPECT_TRUE(tapir_error_catch(c_, b.text, Buffer::cap));
    EXPECT_STREQ(b.text, "MAXNESTING exceeded");
}

TEST_F(Errors, AbortEndsWithoutReport) {
    tapir_abort(c_);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_ABORT);
    EXPECT_FALSE(tapir_error_catch(c_, nullptr, 0));
    tapir_handler_finish(c_);
    EXPECT_TRUE(records_.empty());
    EXPECT_EQ(tapir_host_errors(), 0u);
    EXPECT_TRUE(tapir_host_exit_requested());
}

TEST_F(Errors, ExitGoesOn) {
    tapir_exit(c_);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_NONE);
    EXPECT_TRUE(tapir_host_exit_requested());
}

TEST_F(Errors, MaxErrorsTolerates) {
    tapir_host.limits[TAPIR_LIMIT_MAXERRORS] = 1;
    for (int i = 0; i < 2; i++) {
        EXPECT_FALSE(tapir_host_exit_requested());
        tapir_error(c_, nullptr, "bad");
        finish();
    }
    EXPECT_TRUE(tapir_host_exit_requested());
    EXPECT_EQ(records_.size(), 2u);
}

TEST_F(Errors, SuppressedErrorsAreCountedOnly) {
    tapir_host.suppress_errors = true;
    tapir_error(c_, nullptr, "bad");
    tapir_handler_finish(c_);
    EXPECT_TRUE(records_.empty());
    EXPECT_EQ(tapir_host_errors(), 1u);
    EXPECT_FALSE(tapir_host_exit_requested());
}

TEST_F(Errors, OutputPrecedesTheError) {
    tapir_print_string(c_, "before\n");
    tapir_error(c_, nullptr, "bad");
    tapir_handler_finish(c_);
    ASSERT_EQ(records_.size(), 2u);
    EXPECT_EQ(records_[0].text, "before\n");
    EXPECT_EQ(records_[1].type, TAPIR_REC_ERROR);
}

TEST_F(Errors, FramePushChecksNestingAndMemory) {
    char *a = tapir_frame_push(c_, 1024, 3, &kDivision);
    EXPECT_EQ(a, c_->frame);
    EXPECT_EQ(tapir_frame_push(c_, 3072, 3, &kDivision), c_->frame + 1024);
    EXPECT_EQ(tapir_frame_push(c_, 16, 3, &kDivision), nullptr);
    EXPECT_STREQ(c_->message, "MAXNESTING exceeded");
    c_->failed = 0;
    tapir_frame_pop(c_, 3072);
    EXPECT_NE(tapir_frame_push(c_, 16, 3, &kDivision), nullptr);
    EXPECT_NE(tapir_frame_push(c_, 16, 3, &kDivision), nullptr);
    EXPECT_EQ(tapir_frame_push(c_, 16, 3, &kDivision), nullptr);
}

TEST_F(Errors, SaysWhyAProgramHasNoAddress) {
    const tapir_program program = {"/bin/x", "", 0, 0, 0};
    tapir_test_module.programs = &program;
    const std::pair<u32, const char *> expected[] = {
        {TAPIR_PROGRAM_NOT_MAPPED, "this process does not map it"},
        {TAPIR_PROGRAM_NO_PROCESS, "a kernel thread has no variables of programs"},
        {TAPIR_PROGRAM_NO_FILE, "there was no such file when the script started"},
        {TAPIR_PROGRAM_NOT_FOUND, "this process has more mappings than are searched for it"},
        {TAPIR_PROGRAM_BUSY, "the mappings of this process are being changed right now"},
    };
    for (const auto &[found, reason] : expected) {
        EXPECT_EQ(tapir_program_fault(c_, &kDivision, 0, found), 0u);
        EXPECT_EQ(std::string("no address in '/bin/x' [man error::fault]: ") + reason, c_->message);
        c_->failed = TAPIR_FAIL_NONE;
    }
    tapir_test_module.programs = nullptr;
}

}  // namespace
}  // namespace tapir::test
