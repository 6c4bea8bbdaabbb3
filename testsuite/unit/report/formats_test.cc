// SPDX-License-Identifier: GPL-2.0-or-later
// One capture has the same sums for each function in all formats.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/run_program.h"
#include "report/call_tree.h"
#include "report/picture.h"
#include "unit/report/made_profile.h"
#include "unit/report/read_back.h"

namespace tapir::report {
namespace {

// A known capture and the profile of it.
struct Case {
    explicit Case(const std::string &name, ProfileOptions options = {}) {
        capture = read_known(name);
        profile = make_profile(capture, options, frames);
    }
    Picture picture() const { return {frames, profile}; }

    capture::Capture capture;
    FrameTable frames;
    Profile profile;
};

SumsByName expected(const Case &known) {
    SumsByName sums;
    for (const Row &row : known.profile.rows) {
        std::vector<std::string> stack;
        for (const uint32_t frame : row.frames)
            stack.push_back(known.frames[frame].name);
        add_stack(sums, stack, row.value);
    }
    return sums;
}

std::string pprof_raw(const std::string &profile) {
    TemporaryDirectory directory(*make_directory(temporary_root(), "tapir-report"));
    const std::string path = directory.path() + "/profile.pb.gz";
    EXPECT_TRUE(write_file(path, profile));
    Collected text;
    Program go{{"go", "tool", "pprof", "-raw", path}};
    go.output = Stream::collected(text);
    go.errors = Stream::nothing();
    const Outcome<Ending> ended = run_program(go);
    EXPECT_TRUE(ended && ended->status == 0);
    return text.text;
}

void expect_same_sums(const std::string &name, const ProfileOptions &options = {}) {
    SCOPED_TRACE(name);
    const Case known(name, options);
    const SumsByName sums = expected(known);
    EXPECT_GT(sums.size(), 3u);
    const Picture picture = known.picture();
    EXPECT_EQ(read_folded(render_folded(picture)), sums);
    EXPECT_EQ(read_speedscope(render_speedscope(picture)), sums);
    EXPECT_EQ(read_chrome(render_chrome(picture)), sums);
    EXPECT_EQ(read_firefox(render_firefox(picture)), sums);
    // A label and a function may have one name, and are two rows.
    if (options.by.empty()) {
        EXPECT_EQ(read_shares(render_shares(picture)), sums);
    }
    EXPECT_EQ(read_svg(render_svg(picture)), sums);
    EXPECT_EQ(read_page(render_page(picture)), sums);
    EXPECT_EQ(read_pprof_raw(pprof_raw(render_pprof(picture))), sums);
}

TEST(Formats, HaveTheSameSums) {
    expect_same_sums("clean");
    expect_same_sums("counts");
    expect_same_sums("timed");
    expect_same_sums("partly_timed");
    expect_same_sums("unknown");
    ProfileOptions by_thread;
    by_thread.by = {"comm", "tid"};
    expect_same_sums("clean", by_thread);
}

TEST(Formats, KnownSums) {
    const SumsByName sums = expected(Case("clean"));
    EXPECT_EQ(sums.at("memcpy"), (Sums{3500, 3500}));
    EXPECT_EQ(sums.at("walk"), (Sums{0, 1400}));
    EXPECT_EQ(sums.at("main"), (Sums{0, 6800}));
    EXPECT_EQ(sums.at("boost::asio::detail::scheduler::run()"), (Sums{400, 400}));
    EXPECT_EQ(expected(Case("counts")).at("memcpy"), (Sums{35, 35}));
}

TEST(Formats, OptionsOfNames) {
    ProfileOptions mangled;
    mangled.mangled = true;
    EXPECT_EQ(expected(Case("clean", mangled)).count("_ZN5boost4asio6detail9scheduler3runEv"), 1u);
    ProfileOptions counts;
    counts.by_count = true;
    EXPECT_EQ(expected(Case("clean", counts)).at("memcpy").self, 35);
}

// The innermost function of each sample, in their order.
std::vector<std::string> leaves_of(const nlohmann::json &thread) {
    std::vector<std::string> leaves;
    for (const size_t stack : thread["samples"]["stack"]) {
        const size_t frame = thread["stackTable"]["frame"][stack];
        const size_t function = thread["frameTable"]["func"][frame];
        leaves.push_back(thread["stringArray"][thread["funcTable"]["name"][function].get<size_t>()]);
    }
    return leaves;
}

// The Firefox Profiler finds a range by bisection, so times ascend. A sample without one is at the end.
TEST(Formats, TimesAscend) {
    const auto firefox = nlohmann::json::parse(render_firefox(Case("partly_timed").picture()));
    const nlohmann::json &thread = firefox["threads"][0];
    const auto times = thread["samples"]["time"].get<std::vector<double>>();
    ASSERT_EQ(times.size(), 401u);
    EXPECT_TRUE(std::ranges::is_sorted(times));
    EXPECT_EQ(times.front(), 10);
    EXPECT_EQ(times.back(), 4000);
    const std::vector<std::string> leaves = leaves_of(thread);
    EXPECT_EQ(leaves[0], "poll");
    EXPECT_EQ(leaves[1], "idle");
    EXPECT_EQ(leaves[200], "spin");
    EXPECT_EQ(leaves.back(), "late");
    const auto untimed = nlohmann::json::parse(render_firefox(Case("counts").picture()));
    EXPECT_EQ(untimed["threads"][0]["samples"]["time"], (std::vector<double>{0, 1, 2, 3}));
}

struct Slice {
    std::string name;
    double start, length;
    bool operator==(const Slice &) const = default;
};
void PrintTo(const Slice &slice, std::ostream *out) {
    *out << slice.name << " " << slice.start << "+" << slice.length;
}

// The timeline of what `write` writes.
std::vector<Slice> timeline(const capture::Meta &meta, const std::function<void(capture::KnownCapture &)> &write) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    out.writer().meta(meta);
    write(out);
    EXPECT_TRUE(out.writer().finish("finished"));
    FrameTable frames;
    const Profile profile = make_profile(*capture::parse_capture(bytes), {}, frames);
    std::vector<Slice> slices;
    const auto trace = nlohmann::json::parse(render_chrome({frames, profile}));
    for (const nlohmann::json &event : trace["traceEvents"])
        if (event["ph"] == "X" && event["pid"] == 2) slices.push_back({event["name"], event["ts"], event["dur"]});
    return slices;
}

struct Measured {
    std::vector<std::string> stack;
    int64_t length;  // microseconds
    uint64_t end;
};

std::vector<Slice> timeline(const std::vector<Measured> &samples) {
    capture::Meta meta;
    meta.unit = "microseconds";
    return timeline(meta, [&](capture::KnownCapture &out) {
        for (const Measured &sample : samples)
            out.sample(sample.stack, 1, sample.length, {}, sample.end * 1000);
    });
}

// A measurement within another one ends before it, and comes first.
TEST(Formats, MeasuredTimesNest) {
    EXPECT_EQ(timeline({{{"main", "outer", "inner"}, 50, 200}, {{"main", "outer"}, 110, 210}}),
              (std::vector<Slice>{{"main", 100, 110}, {"outer", 100, 110}, {"inner", 150, 50}}));
    // The stack of the inner one does not have to be that of the outer one and more.
    EXPECT_EQ(timeline({{{"main", "outer"}, 110, 210},
                        {{"main", "other", "leaf"}, 10, 190},
                        {{"main", "inner"}, 50, 200},
                        {{"main", "later"}, 20, 230}}),
              (std::vector<Slice>{{"main", 100, 130},
                                  {"outer", 100, 110},
                                  {"inner", 150, 50},
                                  {"other", 180, 10},
                                  {"leaf", 180, 10},
                                  {"later", 210, 20}}));
    // By a clock that is not exact: neither lies within the other.
    EXPECT_EQ(timeline({{{"main", "b"}, 50, 190}, {{"main", "a"}, 50, 150}}),
              (std::vector<Slice>{{"main", 100, 90}, {"a", 100, 40}, {"b", 140, 50}}));
    EXPECT_EQ(timeline({{{"b"}, 50, 300}, {{"a", "c"}, 50, 150}}),
              (std::vector<Slice>{{"a", 100, 50}, {"c", 100, 50}, {"b", 250, 50}}));
}

// Samples of a clock in a row are one slice, from the first to the tick after the last.
TEST(Formats, TicksFollowEachOther) {
    capture::Meta meta;
    meta.hz = 100;
    const std::vector<Slice> slices = timeline(meta, [](capture::KnownCapture &out) {
        for (const uint64_t tick : {5, 2, 1})
            out.sample({"main", tick == 1 ? "a" : "b"}, 1, 1, {}, tick * 10'000'000);
    });
    EXPECT_EQ(slices, (std::vector<Slice>{{"main", 10000, 20000},
                                          {"a", 10000, 10000},
                                          {"b", 20000, 10000},
                                          {"main", 50000, 10000},
                                          {"b", 50000, 10000}}));
}

// A script's label for a sample is a box, and for pprof a label.
TEST(Formats, LabelsOfScripts) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    out.sample({"main", "serve"}, 1, 1, {{"label", "request=/a", 0}});
    out.sample({"main", "serve"}, 2, 2, {{"label", "request=/b", 0}});
    ASSERT_TRUE(out.writer().finish("finished"));
    FrameTable frames;
    const Profile profile = make_profile(*capture::parse_capture(bytes), {}, frames);
    const SumsByName sums = read_folded(render_folded({frames, profile}));
    EXPECT_EQ(sums.at("request=/b"), (Sums{0, 2}));
    const std::string raw = pprof_raw(render_pprof({frames, profile}));
    EXPECT_NE(raw.find("label:[request=/a]"), std::string::npos) << raw;
    EXPECT_EQ(read_pprof_raw(raw), sums);
}

// Each format has it, for any capture.
TEST(Formats, SayTheQuality) {
    Case known("cut");
    const std::string line = "quality: 85.1 % complete, 14.9 % cut, 0 % lost; 0 % without a name";
    const std::string missing = "missing: 14.9 %, stacks: cut at the limit of frames";
    const Picture picture = known.picture();
    for (const std::string &text :
         {render_folded(picture), render_svg(picture), render_speedscope(picture), render_chrome(picture),
          render_firefox(picture), pprof_raw(render_pprof(picture))}) {
        EXPECT_NE(text.find(line), std::string::npos) << text.substr(0, 500);
        EXPECT_NE(text.find(missing), std::string::npos) << text.substr(0, 500);
    }
    // Pages have it behind their badge.
    const std::string page = render_page(picture);
    for (const char *part : {"<details id=\"trust\" class=\"bad\"><summary>15 % of stacks cut</summary>",
                             "<li>85.1 % complete, 14.9 % cut, 0 % lost; 0 % without a name</li>",
                             "<li class=\"missing\">15 %: stacks: cut at the limit of frames"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
}

// The owner of each frame, by its name in each format that has a place for it.
TEST(Formats, TellWhoseCodeItIs) {
    const Case known("clean");
    const Picture picture = known.picture();
    const auto firefox = nlohmann::json::parse(render_firefox(picture));
    std::map<std::string, std::string> of;
    for (const nlohmann::json &thread : firefox["threads"])
        for (size_t i = 0; i < thread["frameTable"]["func"].size(); i++) {
            const std::string name = thread["stringArray"][thread["funcTable"]["name"][i].get<size_t>()];
            of[name] = firefox["meta"]["categories"][thread["frameTable"]["category"][i].get<size_t>()]["name"];
        }
    EXPECT_EQ(of.at("render"), "programs");
    EXPECT_EQ(of.at("memcpy"), "libraries");
    EXPECT_EQ(of.at("ep_poll"), "kernel");
    const auto chrome = nlohmann::json::parse(render_chrome(picture));
    for (const nlohmann::json &event : chrome["traceEvents"])
        if (event["name"] == "ep_poll") {
            EXPECT_EQ(event["cat"], "kernel");
        }
    const auto speedscope = nlohmann::json::parse(render_speedscope(picture));
    const nlohmann::json &owners = speedscope["tapir"]["owners"];
    ASSERT_EQ(owners.size(), speedscope["shared"]["frames"].size());
    for (size_t i = 0; i < owners.size(); i++)
        if (speedscope["shared"]["frames"][i]["name"] == "memcpy") {
            EXPECT_EQ(owners[i], "library");
        }
    const std::string svg = render_svg(picture);
    EXPECT_NE(svg.find("data-name=\"render\" data-share=\"41 %\"><title>render [/usr/bin/server]\n3.50 ms, 41 %</title>"
                       "<rect class=\"own\""),
              std::string::npos)
        << svg.substr(svg.find("data-name=\"render\""), 200);
    EXPECT_NE(svg.find("fill=\"#ea971a\""), std::string::npos);
}

// Each says of what it is.
TEST(Formats, SayTheOrigin) {
    std::string bytes;
    capture::KnownCapture out([&bytes](std::string_view part) {
        bytes += part;
        return true;
    });
    capture::Meta meta;
    meta.title = "CPU time";
    meta.unit = "samples";
    meta.clock = "soft";
    meta.hz = 1000;
    meta.host = "web1";
    meta.program = "/usr/bin/server";
    meta.command = "stap -o x.html -c 'server <80>' oncpu.stp";
    out.writer().meta(meta);
    out.sample({"libc.so.6!__libc_start_main", "main"}, 250, 250);
    ASSERT_TRUE(out.writer().finish("finished"));
    capture::Capture capture = *capture::parse_capture(bytes);
    FrameTable frames;
    const Profile profile = make_profile(capture, {}, frames);
    const Picture picture{frames, profile};
    const std::string heading = "server: CPU time", amount = "250 samples, 250 ms of processor time";
    const std::string raw = pprof_raw(render_pprof(picture));
    for (const std::string &text :
         {render_folded(picture), render_svg(picture), render_speedscope(picture), render_chrome(picture),
          render_firefox(picture), render_text(picture, capture), raw}) {
        EXPECT_NE(text.find(heading), std::string::npos) << text.substr(0, 500);
        EXPECT_NE(text.find(amount), std::string::npos) << text.substr(0, 500);
        EXPECT_NE(text.find("web1"), std::string::npos) << text.substr(0, 500);
    }
    // The first mapping is what pprof calls the main binary.
    EXPECT_LT(raw.find("1: 0x0/0x0/0x0 /usr/bin/server"), raw.find("2: 0x0/0x0/0x0 /usr/lib/libc.so.6")) << raw;
    EXPECT_NE(render_svg(picture).find("<title id=\"name\">server: CPU time</title>"), std::string::npos);
    EXPECT_NE(render_svg(picture).find("server &lt;80&gt;"), std::string::npos);
}

// A picture of nothing says why there is nothing, and can be read by what reads others.
TEST(Formats, OfNothingSayWhy) {
    Case known("nothing");
    const Picture picture = known.picture();
    const std::string why = "No samples: no program used any processor time in 5.00 s";
    for (const std::string &text :
         {render_folded(picture), render_svg(picture), render_speedscope(picture), render_chrome(picture),
          render_firefox(picture), render_text(picture, known.capture), pprof_raw(render_pprof(picture))})
        EXPECT_NE(text.find(why), std::string::npos) << text.substr(0, 500);
    for (const std::string &text : {render_speedscope(picture), render_chrome(picture), render_firefox(picture)})
        EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

// Tools that read folded stacks take no line of the head for a stack.
TEST(Formats, HeadOfFoldedStacksIsNoStack) {
    for (const char *name : {"clean", "hostile", "skipped", "killed"}) {
        const std::string text = render_folded(Case(name).picture());
        size_t at = 0;
        while (at < text.size()) {
            const size_t end = text.find('\n', at);
            const std::string line = text.substr(at, end - at);
            at = end + 1;
            EXPECT_FALSE(line[0] == '#' && isdigit(static_cast<unsigned char>(line.back()))) << line;
        }
    }
}

void expect_harmless(const std::string &text) {
    EXPECT_EQ(text.find("<script>hostile"), std::string::npos);
    EXPECT_EQ(text.find("<img"), std::string::npos);
    EXPECT_EQ(text.find("<svg onload"), std::string::npos);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(text.find("\xff\xfe"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
}

// Returns the first error of an XML parser; "" if there is none.
std::string xml_error(const std::string &text) {
    Collected errors;
    Program parser{
        {"python3", "-c", "import sys, xml.parsers.expat as x; x.ParserCreate().ParseFile(sys.stdin.buffer)"}};
    parser.input = Stream::of_text(text);
    parser.errors = Stream::collected(errors);
    const Outcome<Ending> ended = run_program(parser);
    return !ended ? ended.fault().message() : ended->status == 0 ? "" : "wrong: " + errors.text;
}

TEST(Formats, HostileNamesAreHarmless) {
    const Case known("hostile");
    const Picture picture = known.picture();
    const std::string page = render_page(picture), svg = render_svg(picture);
    expect_harmless(page);
    expect_harmless(svg);
    const std::string folded = render_folded(picture);
    EXPECT_EQ(folded.find('\x1b'), std::string::npos);
    EXPECT_LT(svg.size(), 100'000u) << "a command of a megabyte is cut";
    // One comment, which ends where it should; one part that is not escaped.
    EXPECT_EQ(svg.find("-->"), svg.rfind("-->"));
    EXPECT_EQ(svg.find("]]>"), svg.rfind("]]>"));
    EXPECT_EQ(read_page(page), expected(known));
    for (const std::string &text : {render_speedscope(picture), render_chrome(picture), render_firefox(picture)})
        EXPECT_TRUE(nlohmann::json::accept(text));
    EXPECT_EQ(read_speedscope(render_speedscope(picture)), expected(known));
    EXPECT_EQ(xml_error(svg), "");
    EXPECT_EQ(xml_error(render_svg(Case("nothing").picture())), "");
    EXPECT_EQ(expected(known).count("no\xef\xbf\xbd"
                                    "character\xef\xbf\xbd"),
              1u);
}

TEST(Formats, AreChosenBySuffix) {
    EXPECT_EQ(format_of_file("a.svg")->name, "svg");
    EXPECT_EQ(format_of_file("x/y.speedscope.json")->name, "speedscope");
    EXPECT_EQ(format_of_file("y.pb.gz")->name, "pprof");
    EXPECT_EQ(format_of_file("y.shares.json")->name, "json");
    EXPECT_EQ(format_of_file("y.json"), nullptr);
    EXPECT_EQ(format_of_file(".svg"), nullptr);
    EXPECT_EQ(find_format("chrome")->suffix, ".chrome.json");
    EXPECT_EQ(find_format("png"), nullptr);
}

}  // namespace
}  // namespace tapir::report
