// SPDX-License-Identifier: GPL-2.0-or-later
// The summary for terminals, and why a picture has nothing to show.
#include "report/fitted_text.h"
#include "report/no_samples.h"
#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

using capture::KnownCapture;
using capture::Meta;

std::string summary(const MadeProfile &made, const TextLayout &layout = {}) {
    capture::Capture capture;
    return render_text(made.picture(), capture, layout);
}

bool has_line(const std::string &text, const std::string &line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// The summary names the waiting functions and their reasons, not the kernel's scheduler.
TEST(Summary, OfWaits) {
    const std::string text = summary(MadeProfile("waits"));
    EXPECT_EQ(text.substr(0, text.find('\n')),
              "off-CPU time, 8 waits, 1.00 ms in 1 thread" + std::string(36, ' ') + "14 Nov 2023, 22:13 UTC");
    EXPECT_TRUE(has_line(text, "all stacks complete")) << text;
    EXPECT_TRUE(has_line(text, "    10 %   100 µs  handle_request › pthread_mutex_lock in main")) << text;
    EXPECT_TRUE(has_line(text, "    90 %   900 µs  idle: waits for events")) << text;
    EXPECT_TRUE(has_line(text, "    80 %   800 µs                -  main" + std::string(51, ' ') + "server")) << text;
    EXPECT_NE(text.find("    10 %   100 µs                -  __lll_lock_wait"), std::string::npos) << text;
    EXPECT_EQ(text.find("schedule"), std::string::npos) << text;
    EXPECT_TRUE(has_line(text, "a page: -o FILE.html")) << text;
}

// By total, with what a function has itself; an amount of a clock's samples is time.
TEST(Summary, OfProcessorTime) {
    const std::string text = summary(MadeProfile([](KnownCapture &out) {
        Meta meta;
        meta.title = "CPU time";
        meta.unit = "samples";
        meta.clock = "soft";
        meta.hz = 1000;
        meta.program = "/usr/bin/server";
        out.writer().meta(meta);
        out.sample({"main", "parse"}, 250, 250);
        out.sample({"main", "send", "k!do_syscall_64"}, 700, 700);
        out.sample({"main"}, 50, 50);
    }));
    EXPECT_EQ(text.substr(0, text.find('\n')), "server: CPU time, 1,000 samples, 1.00 s of processor time");
    EXPECT_TRUE(has_line(text, "    70 %   700 ms  send › do_syscall_64 in main")) << text;
    EXPECT_NE(text.find("\n   TOTAL             SELF           FUNCTION\n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n   100 %   1.00 s   5.0 %  50.0 ms  main"), std::string::npos) << text;
    EXPECT_NE(text.find("\n    70 %   700 ms    70 %   700 ms  do_syscall_64"), std::string::npos) << text;
}

// Long names are shortened first, and cut only if they still do not fit.
TEST(Summary, ShortensNames) {
    const MadeProfile made([](KnownCapture &out) {
        out.sample({"main", "(anonymous namespace)::place_order(Book&, std::vector<std::pair<int, char>> const&)"}, 1,
                   1);
    });
    EXPECT_NE(summary(made, {80, false}).find("  place_order"), std::string::npos) << summary(made, {80, false});
    EXPECT_NE(summary(made, {200, false}).find("  (anonymous namespace)::place_order(Book&, std::vector<std::pair<"),
              std::string::npos);
}

// Names are cut in the middle, numbers never, and no line of the table is wider than the terminal.
TEST(Summary, FitsTheTerminal) {
    const MadeProfile made([](KnownCapture &out) {
        Meta meta;
        meta.unit = "faults";
        meta.host = "web1";
        meta.target = "./orders " + std::string(200, 'x');
        out.writer().meta(meta);
        out.sample({"main", "ns::function_with_a_long_name(std::map<int, std::string> const&, unsigned long)"}, 1,
                   INT64_MAX / 4);
        for (int i = 0; i < 30; i++)
            out.sample({"main", "f" + std::to_string(i)}, 1, INT64_MAX / 200);
    });
    for (const size_t columns : {80, 100, 200}) {
        const std::string text = summary(made, {columns, false});
        for (size_t at = 0; at < text.size();) {
            const size_t end = text.find('\n', at);
            size_t width = 0;
            for (const char byte : text.substr(at, end - at))
                width += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
            EXPECT_LE(width, columns) << text.substr(at, end - at);
            at = end + 1;
        }
        EXPECT_NE(text.find("2,305,843,009,213,693,951"), std::string::npos) << text;
        EXPECT_NE(text.find("functions more: --all; a page: -o FILE.html"), std::string::npos) << text;
    }
    const std::string all = summary(made, {100, true});
    EXPECT_EQ(all.find("--all"), std::string::npos);
    EXPECT_NE(all.find("f29"), std::string::npos);
}

// Functions without own samples that only start threads or enter the kernel are left out.
TEST(Summary, LeavesOutWhatOnlyLeadsOn) {
    const std::string text = summary(MadeProfile([](KnownCapture &out) {
        out.sample({"libc.so.6!start_thread", "work", "k!do_syscall_64", "k!vfs_read"}, 1, 1);
        out.sample({"main"}, 1, 1);
    }));
    EXPECT_NE(text.find("  vfs_read "), std::string::npos) << text;
    EXPECT_EQ(text.find("  start_thread "), std::string::npos) << text;
    EXPECT_EQ(text.find("  do_syscall_64 "), std::string::npos) << text;
}

TEST(Summary, TellsWhatIsMissingWithTheRemedy) {
    const std::string text = summary(MadeProfile("cut"));
    EXPECT_TRUE(has_line(text, "15 % of stacks cut")) << text;
    EXPECT_TRUE(has_line(text, "  missing: 15 %: stacks: cut at the limit of frames")) << text;
    EXPECT_TRUE(
        has_line(text, "  help: ask for more frames: stacks(), or callers(-1) and ucallers(-1), walk to the root"))
        << text;
    EXPECT_TRUE(has_line(summary(MadeProfile("stripped")),
                         "all stacks complete; 6.8 % of the boxes' width has no name (libc.so.6)"));
    // Twelve causes.
    EXPECT_TRUE(has_line(summary(MadeProfile("ragged")), "  9 more causes: --all"));
    EXPECT_EQ(summary(MadeProfile("ragged"), {100, true}).find("more causes"), std::string::npos);
}

TEST(Summary, CutsNamesInTheMiddle) {
    EXPECT_EQ(cut_in_middle("abc", 3), "abc");
    EXPECT_EQ(cut_in_middle("abcdefghij", 5), "ab…ij");
    EXPECT_EQ(cut_in_middle("abcd", 1), "…");
    EXPECT_EQ(cut_in_middle("abcd", 0), "");
    const std::string insert = "std::_Rb_tree<int, std::pair<int const, Order>>::_M_insert(Node*)";
    EXPECT_EQ(cut_in_middle(insert, 62), "std::_Rb_tree<int, std::pair<int const, Order>>::_M_insert(…)");
    EXPECT_EQ(cut_in_middle(insert, 34), "std::_Rb_tree<…>::_M_insert(…)");
    EXPECT_EQ(cut_in_middle("ääääääää", 5), "ää…ää");
}

TEST(Summary, WrapsAtWords) {
    EXPECT_EQ(wrapped("aa bb cc", 5, 2), "aa bb\n  cc");
    EXPECT_EQ(wrapped("  aa bb", 100, 4), "  aa bb");
    EXPECT_EQ(wrapped("aaaaaaaa b", 4, 0), "aaaaaaaa\nb");
    EXPECT_EQ(wrapped("", 4, 0), "");
}

Meta cpu_time() {
    Meta meta;
    meta.title = "CPU time";
    meta.unit = "samples";
    meta.clock = "soft";
    meta.duration = 4'400'000'000;
    return meta;
}

std::string why(
    const Meta &meta, const std::function<void(KnownCapture &)> &more = [](KnownCapture &) {},
    const ProfileOptions &options = {}) {
    return no_samples_text(MadeProfile(
                               [&](KnownCapture &out) {
                                   out.writer().meta(meta);
                                   more(out);
                               },
                               options)
                               .profile);
}

TEST(NoSamples, NameTheCause) {
    Meta meta = cpu_time();
    meta.target = "./orders 60";
    EXPECT_EQ(
        why(meta),
        "No samples: the program used no processor time in 4.40 s. For waits: stap -o waits.html -c './orders 60' "
        "offcpu.stp");
    meta.pid = 411;
    EXPECT_EQ(why(meta),
              "No samples: the program used no processor time in 4.40 s. For waits: stap -o waits.html -x 411 "
              "offcpu.stp");
    meta.clock = "probe";
    EXPECT_EQ(why(meta), "No samples: no probe of the script was hit in 4.40 s");
    EXPECT_EQ(why(meta,
                  [](KnownCapture &out) {
                      out.writer().probe({"kernel.function(\"f\")", 12, {}});
                  }),
              "No samples: the script's probes were hit 12 times in 4.40 s, and took none");
    EXPECT_EQ(why(Meta()), "No samples: the script takes none. Scripts take them with @sample");
    EXPECT_EQ(why(meta, [](KnownCapture &out) { out.sample({"main"}, 1, 1); }), "");
    meta.unit = "bytes";
    EXPECT_EQ(why(meta, [](KnownCapture &out) { out.sample({"main"}, 3, -1); }),
              "Nothing to show: the sums of all stacks are zero or less (3 samples)");
    EXPECT_EQ(
        why(meta,
            [](KnownCapture &out) {
                out.writer().loss({capture::Loss::Output, 7});
            }),
        "No samples: all were lost (output dropped). Give the buffers more room with -s MEGABYTES, or print less");
    capture::Capture cut_off;
    cut_off.damage = "it is cut off";
    FrameTable frames;
    EXPECT_EQ(no_samples_text(make_profile(cut_off, {}, frames)),
              "No samples: the capture is not sealed, it is cut off");
    ProfileOptions options;
    options.from = 2'000'000'000;
    EXPECT_EQ(why(
                  meta, [](KnownCapture &out) { out.sample({"main"}, 1, 1, {}, 1'000'000'000); }, options),
              "No samples after the first 2.00 s of the session, which --from leaves out");
}

}  // namespace
}  // namespace tapir::report
