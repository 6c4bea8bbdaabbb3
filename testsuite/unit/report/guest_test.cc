// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of interpreted languages stand where the interpreter runs them, in place of its own frames or beside them.
#include <gtest/gtest.h>

#include <map>

#include "report/guest_frames.h"
#include "report/known_captures.h"
#include "report/profile.h"

namespace tapir::report {
namespace {

const std::string kLoop = "python3.11!_PyEval_EvalFrameDefault";

// The one stack of a capture, its frames separated by semicolons.
std::string shown(const std::vector<std::string> &native, const std::string &frames, ProfileOptions options = {},
                  const std::map<std::string, std::string> &builtins = {}) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    out.has_interpreter({1, "Python", "_PyEval_EvalFrameDefault"}, "python3");
    out.has_interpreter({2, "Perl", ""}, "perl");
    out.sample(native, 1, 1, {{"frames", frames, 0}});
    for (const auto &[at, name] : builtins)
        out.has_builtin(at, name);
    EXPECT_TRUE(out.writer().finish("finished"));
    const Outcome<capture::Capture> read = capture::parse_capture(bytes);
    EXPECT_TRUE(read);
    FrameTable table;
    const Profile profile = make_profile(*read, options, table);
    std::string all = percent_text(profile.quality.complete) + ":";
    for (const uint32_t frame : profile.rows.at(0).frames)
        all += " " + table[frame].name;
    // Hidden frames need no name; shown ones without a name count.
    const bool nameless = all.find("[perl]") != std::string::npos || all.find("[python3.11]") != std::string::npos;
    EXPECT_EQ(profile.quality.unnamed > 0, nameless) << all;
    return all;
}

TEST(GuestFrames, StandWhereTheLoopRunsThem) {
    const std::vector<std::string> native = {"libc.so.6!__libc_start_main",
                                             "!python3.11",
                                             kLoop,
                                             "python3.11!call",
                                             "libffi.so.8!ffi_call",
                                             "libc.so.6!qsort",
                                             "python3.11!callback",
                                             kLoop,
                                             "python3.11!write",
                                             "libc.so.6!write",
                                             "k!vfs_write"};
    const std::string frames = "\n<module> (a.py:9);outer (a.py:7);\ncompare (b.py:3)";
    EXPECT_EQ(shown(native, frames),
              "100 %: __libc_start_main <module> (a.py) outer (a.py) ffi_call qsort compare (b.py) write vfs_write");
    ProfileOptions both;
    both.native = both.lines = true;
    EXPECT_EQ(
        shown(native, frames, both),
        "100 %: __libc_start_main [python3.11] _PyEval_EvalFrameDefault <module> (a.py:9) outer (a.py:7) call ffi_call "
        "qsort callback _PyEval_EvalFrameDefault compare (b.py:3) write write vfs_write");
}

TEST(GuestFrames, StandWhereTheInterpreterRunsInnermost) {
    const std::vector<std::string> native = {"main", "!perl", "perl!Perl_runops", "libc.so.6!memcpy"};
    EXPECT_EQ(shown(native, "main (a.pl:3);main::f (a.pl:1)"), "100 %: main main (a.pl) main::f (a.pl) memcpy");
    ProfileOptions both;
    both.native = true;
    EXPECT_EQ(shown(native, "main (a.pl:3)", both), "100 %: main [perl] main (a.pl) Perl_runops memcpy");
}

// Nothing is lost of a native stack that ends early, nor where no frame is the interpreter's.
TEST(GuestFrames, AreOutermostWhereTheLoopIsMissing) {
    EXPECT_EQ(shown({"libc.so.6!read"}, "\nmain (a.py:1);\nf (a.py:2)"), "100 %: main (a.py) f (a.py) read");
    EXPECT_EQ(shown({kLoop, "libc.so.6!read"}, "\nmain (a.py:1);\nf (a.py:2)"), "100 %: main (a.py) f (a.py) read");
    EXPECT_EQ(shown({"main", kLoop, kLoop}, "\nf (a.py:2)"), "100 %: main f (a.py)");
}

TEST(GuestFrames, CutOnesAreShownAndCounted) {
    EXPECT_EQ(shown({"main", kLoop}, "...;\nf (a.py:2)"), "0 %: [frames that did not fit into a string] main f (a.py)");
}

// Functions in C of the language are boxes, whether their native frames have names or not; what they call stands above.
TEST(GuestFrames, BuiltinsAreBoxes) {
    const std::vector<std::string> native = {
        "main", kLoop, "python3.11!call", "python3.11!match", "!python3.11", "libc.so!memchr",
    };
    const std::map<std::string, std::string> builtins = {{"python3.11!match", "Pattern.match"},
                                                         {"!_json.so", "Scanner.__call__"}};
    EXPECT_EQ(shown(native, "\nf (a.py:2)", {}, builtins), "100 %: main f (a.py) Pattern.match memchr");
    EXPECT_EQ(shown({"main", kLoop, "!_json.so", kLoop}, "\nf (a.py:2);\nhook (b.py:1)", {}, builtins),
              "100 %: main f (a.py) Scanner.__call__ hook (b.py)");
    ProfileOptions both;
    both.native = true;
    EXPECT_EQ(shown(native, "\nf (a.py:2)", both, builtins),
              "100 %: main _PyEval_EvalFrameDefault f (a.py) call Pattern.match match [python3.11] memchr");
    // Without frames of the language it is a native stack as any.
    EXPECT_EQ(shown({"main", "python3.11!match"}, "", {}, builtins), "100 %: main match");
}

TEST(GuestFrames, LoopsAreOfTheirInterpreterOnly) {
    const capture::Interpreter python = {1, "Python", "_PyEval_EvalFrameDefault"}, perl = {2, "Perl", ""};
    EXPECT_TRUE(is_loop_of(python, "_PyEval_EvalFrameDefault.cold"));
    EXPECT_FALSE(is_loop_of(python, "_PyEval_EvalFrameDefaults"));
    EXPECT_FALSE(is_loop_of(perl, "_PyEval_EvalFrameDefault"));
    EXPECT_FALSE(is_loop_of(perl, ""));
    // A function of that name in a file that is no interpreter runs nothing.
    EXPECT_EQ(shown({"main", "server!_PyEval_EvalFrameDefault", kLoop}, "\nf (a.py:2)"),
              "100 %: main _PyEval_EvalFrameDefault f (a.py)");
}

TEST(GuestFrames, HaveTheirSource) {
    const FrameText frame = guest_frame_text("f (with) brackets (shop.py:12)", false);
    EXPECT_EQ(frame.name, "f (with) brackets (shop.py)");
    EXPECT_EQ(frame.file, "shop.py");
    EXPECT_EQ(frame.line, 12u);
    EXPECT_EQ(guest_frame_text("f (shop.py)", false).file, "shop.py");
    EXPECT_EQ(guest_frame_text("f (a:b)", false).name, "f (a:b)");
    EXPECT_EQ(guest_frame_text("f (a:99999999999)", false).line, 0u);
    EXPECT_EQ(guest_frame_text("strlen", false).file, "");
    EXPECT_EQ(guest_frame_text("", false).name, "");
}

}  // namespace
}  // namespace tapir::report
