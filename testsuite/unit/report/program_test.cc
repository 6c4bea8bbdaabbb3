// SPDX-License-Identifier: GPL-2.0-or-later
// stap-report as users and staprun call it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/run_program.h"
#include "report/confinement.h"
#include "report/report_options.h"
#include "trees.h"

namespace tapir::report {
namespace {

struct Result {
    int status;
    std::string output, errors;
};

class StapReport : public ::testing::Test {
  protected:
    Result run(std::vector<std::string> arguments, const Stream &input = Stream::nothing()) {
        Collected output, errors;
        arguments.insert(arguments.begin(), build_dir() + "/bin/stap-report");
        Program program{std::move(arguments)};
        program.directory = directory_.path();
        program.input = input;
        program.output = Stream::collected(output);
        program.errors = Stream::collected(errors);
        const Outcome<Ending> ended = run_program(program);
        EXPECT_TRUE(ended);
        return {ended ? ended->code() : -1, output.text, errors.text};
    }
    // The path of a known capture.
    std::string capture(const std::string &name) {
        Program program{{build_dir() + "/bin/make_capture", name, path(name)}};
        const Outcome<Ending> ended = run_program(program);
        EXPECT_TRUE(ended && ended->good());
        return path(name);
    }
    std::string path(const std::string &name) const { return directory_.path() + "/" + name; }

    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-report")};
};

TEST_F(StapReport, WritesEachFormat) {
    capture("clean");
    for (const char *suffix : {".svg", ".html", ".pb.gz", ".speedscope.json", ".folded", ".chrome.json",
                               ".firefox.json", ".shares.json", ".txt"}) {
        const Result result = run({"clean", "-o", std::string("out") + suffix});
        EXPECT_EQ(result.status, 0) << suffix << result.errors;
        EXPECT_EQ(result.output, "");
        EXPECT_EQ(result.errors, std::string("wrote out") + suffix + ": 86 samples, 8.60 ms, all stacks complete\n");
        EXPECT_GT(read_file(path(std::string("out") + suffix))->size(), 200u) << suffix;
    }
    const std::string page = *read_file(path("out.html"));
    EXPECT_EQ(run({"clean", "--format=html"}).output, page);
    EXPECT_EQ(run({"-", "--format=html"}, Stream::file(path("clean"))).output, page);
}

// As a reader of JSON and one of XML find it.
TEST_F(StapReport, TitleIsAsItIsGiven) {
    capture("clean");
    const std::string title = R"(Load "A" & <B>, \ 50 % of März)";
    const auto titled = [&](const char *format) {
        return run({"clean", std::string("--format=") + format, "--title=" + title}).output;
    };
    EXPECT_EQ(nlohmann::json::parse(titled("chrome"))["otherData"]["title"], title);
    ASSERT_TRUE(write_file(path("out.svg"), titled("svg")));
    Collected found;
    Program program{{"python3", "-c",
                     "import sys, xml.etree.ElementTree as tree\n"
                     "print([e.text for e in tree.parse(sys.argv[1]).iter() if e.get('class') == 'title'][0])",
                     path("out.svg")}};
    program.output = Stream::collected(found);
    const Outcome<Ending> ended = run_program(program);
    EXPECT_TRUE(ended && ended->good());
    EXPECT_EQ(found.text, title + "\n");
}

TEST_F(StapReport, ReplacesWhatWasThere) {
    capture("clean");
    ASSERT_TRUE(write_file(path("out.folded"), std::string(100000, 'x')));
    EXPECT_EQ(run({"clean", "-o", "out.folded"}).status, 0);
    EXPECT_EQ(*read_file(path("out.folded")), run({"clean", "--format=folded"}).output);
}

TEST_F(StapReport, ExitStatusTellsPoorQuality) {
    for (const char *name : {"cut", "dropped", "skipped", "array", "full", "overflow", "killed"}) {
        capture(name);
        const Result poor = run({name, "--format=folded"});
        EXPECT_EQ(poor.status, 3) << name;
        EXPECT_NE(poor.errors.find("--accept-partial takes it as it is"), std::string::npos) << poor.errors;
        EXPECT_NE(poor.output.find("main;loop"), std::string::npos);
        const Result accepted = run({name, "--format=folded", "--accept-partial"});
        EXPECT_EQ(accepted.status, 0) << name;
        EXPECT_EQ(accepted.errors, "");
        EXPECT_EQ(accepted.output, poor.output);
    }
    EXPECT_EQ(run({"cut", "--min-quality=80"}).status, 0);
    capture("clean");
    EXPECT_EQ(run({"clean", "--min-quality=100"}).status, 0);
}

// Complete stacks with frames that have no name are a picture like any other; that is told apart.
TEST_F(StapReport, NamelessFramesAreANotice) {
    capture("stripped");
    const Result result = run({"stripped", "-o", "out.folded", "--min-quality=100"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors,
              "wrote out.folded: 101 samples, 10.1 s of processor time, all stacks complete\n"
              "notice: 6.8 % of the boxes' width has no name, in /usr/lib/libc.so.6: install its debug symbols\n");
}

// Messages do not name a file that the user did not write.
TEST_F(StapReport, StandardInputHasNoName) {
    capture("cut");
    const Result picture = run({"-", "-o", "out.svg"}, Stream::file(path("cut")));
    EXPECT_EQ(picture.status, 3);
    // Warnings that the picture misleads stand last.
    EXPECT_EQ(picture.errors.find("wrote out.svg: 101 samples, 10.1 s of processor time, 15 % of stacks cut\n"
                                  "stap-report: 'out.svg': only 85.1 % of the samples are complete"),
              0u)
        << picture.errors;
    const Result text = run({"-"}, Stream::file(path("cut")));
    EXPECT_EQ(text.status, 3);
    EXPECT_EQ(text.errors.find("stap-report: standard input: only 85.1 %"), 0u) << text.errors;
}

// No picture, no file; one that was there stays as it is.
TEST_F(StapReport, LeavesNoEmptyFile) {
    ASSERT_TRUE(write_file(path("script"), "#!/bin/sh\n# this is longer than a head\n"));
    EXPECT_EQ(run({"script", "-o", "out.svg"}).status, 1);
    EXPECT_FALSE(is_file(path("out.svg")));
    ASSERT_TRUE(write_file(path("old.svg"), "old"));
    EXPECT_EQ(run({"script", "-o", "old.svg"}).status, 1);
    EXPECT_EQ(*read_file(path("old.svg")), "old");
}

// A program that uses no processor time is no failure: its picture says so.
TEST_F(StapReport, APictureOfNothingSaysWhy) {
    capture("nothing");
    const std::string why =
        "No samples: no program used any processor time in 5.00 s. For waits: stap -o waits.html offcpu.stp";
    const Result result = run({"nothing", "-o", "out.svg"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.errors, "wrote out.svg: no samples\nnotice: " + why + "\n");
    EXPECT_NE(read_file(path("out.svg"))->find(why), std::string::npos);
    const Result text = run({"nothing"});
    EXPECT_EQ(text.status, 0);
    EXPECT_EQ(text.errors, "");
    EXPECT_NE(text.output.find("No samples: no program used any processor time in 5.00 s. For waits:\n"
                               "    stap -o waits.html offcpu.stp\n"),
              std::string::npos)
        << text.output;
}

// The facts that programs need before they use a capture.
TEST_F(StapReport, CheckIsForPrograms) {
    capture("cut");
    const Result cut = run({"cut", "--check"});
    EXPECT_EQ(cut.status, 3);
    const auto found = nlohmann::json::parse(cut.output);
    EXPECT_EQ(found["samples"], 101);
    EXPECT_NEAR(found["cut"].get<double>(), 100.0 * 15 / 101, 1e-6);
    EXPECT_NEAR(found["complete"].get<double>(), 100.0 * 86 / 101, 1e-6);
    EXPECT_EQ(found["lost"], 0);
    EXPECT_EQ(found["unnamed"], 0);
    EXPECT_EQ(found["sealed"], true);
    EXPECT_EQ(found["verdict"], "bad");
    EXPECT_EQ(found["causes"][0]["text"], "stacks: cut at the limit of frames");
    EXPECT_EQ(run({"cut", "--check", "--min-quality=80"}).status, 0);
    capture("clean");
    const Result clean = run({"clean", "--check"});
    EXPECT_EQ(clean.status, 0);
    EXPECT_EQ(nlohmann::json::parse(clean.output)["verdict"], "good");
    EXPECT_EQ(nlohmann::json::parse(clean.output)["value"], 8600);
    capture("killed");
    const Result killed = run({"killed", "--check"});
    EXPECT_EQ(killed.status, 3);
    EXPECT_EQ(nlohmann::json::parse(killed.output)["sealed"], false);
    capture("nothing");
    const Result nothing = run({"nothing", "--check"});
    EXPECT_EQ(nothing.status, 0);
    EXPECT_EQ(nothing.errors, "");
    EXPECT_EQ(nlohmann::json::parse(nothing.output)["samples"], 0);
    capture("hostile");
    EXPECT_TRUE(nlohmann::json::accept(run({"hostile", "--check"}).output));
}

TEST_F(StapReport, ComparesInTheSummary) {
    capture("before");
    capture("after");
    const Result text = run({"after", "--diff=before"});
    EXPECT_EQ(text.status, 0);
    // 12,600 and 10,100 microseconds; of new_way 4,000 and none.
    EXPECT_NE(text.output.find("12.6 ms in 5.00 s, before 10.1 ms"), std::string::npos) << text.output;
    EXPECT_NE(text.output.find("    32 %  4.00 ms     0 %      0 s  new_way"), std::string::npos) << text.output;
    const Result svg = run({"after", "--diff=before", "--format=svg"});
    EXPECT_NE(svg.output.find("before 10.1 ms"), std::string::npos);
    EXPECT_NE(svg.output.find("data-name=\"● new_way\" data-share=\"+32 pp\""), std::string::npos);
}

TEST_F(StapReport, AnAbsentLabelIsAnError) {
    capture("clean");
    EXPECT_NE(
        run({"clean", "--by=comm", "--format=folded"}).output.find("\nworker;start_thread;worker;walk;visit 300\n"),
        std::string::npos);
    const Result absent = run({"clean", "--by=comm,cpu", "--format=folded"});
    EXPECT_EQ(absent.status, 1);
    EXPECT_EQ(absent.output, "");
    EXPECT_EQ(absent.errors,
              "stap-report: no sample of 'clean' has the label 'cpu' (there are: comm, pid, tid); 'stap --times "
              "--record=FILE' keeps comm, pid, tid and cpu of each sample\n");
}

TEST_F(StapReport, FromLeavesOutEarlierSamples) {
    // A sample each 10 ms for 4 s, the first after 10 ms, busy in the third second.
    capture("timed");
    const Result late = run({"timed", "--from=3.505", "--format=folded"});
    EXPECT_EQ(late.status, 0) << late.errors;
    EXPECT_NE(late.output.find("# samples: 50 taken"), std::string::npos) << late.output;
    EXPECT_EQ(late.output.find("spin"), std::string::npos);
    const Result none = run({"timed", "--from=9", "--format=folded"});
    EXPECT_EQ(none.status, 0);
    EXPECT_EQ(none.errors, "notice: No samples after the first 9.00 s of the session, which --from leaves out\n");
    // 25 of 425 have no time.
    capture("partly_timed");
    const Result partly = run({"partly_timed", "--from=2.005", "--format=folded"});
    EXPECT_EQ(partly.status, 3);
    EXPECT_NE(partly.errors.find("11.1 %: samples whose time was not kept (--times=MEGABYTES keeps more)"),
              std::string::npos)
        << partly.errors;
    capture("clean");
    EXPECT_EQ(run({"clean", "--from=1", "--format=folded"}).errors,
              "stap-report: the samples of 'clean' have no times, so --from has no meaning; 'stap --times "
              "--record=FILE' keeps them\n");
}

TEST_F(StapReport, ComparesTwoCaptures) {
    capture("before");
    capture("after");
    const Result folded = run({"after", "--diff=before", "--format=folded"});
    EXPECT_EQ(folded.status, 0);
    EXPECT_NE(folded.output.find("main;loop;new_way;malloc_fast 0 4000\n"), std::string::npos);
    EXPECT_NE(folded.output.find("main;loop;old_way;malloc_slow 4000 0\n"), std::string::npos);
    EXPECT_NE(folded.output.find("main;loop;handle_request;render;memcpy 1000 3500\n"), std::string::npos);
    const Result svg = run({"after", "--diff=before", "--format=svg"});
    EXPECT_NE(svg.output.find("of what was there before is in stacks that are not here"), std::string::npos);
    capture("counts");
    const Result mixed = run({"after", "--diff=counts", "--format=svg"});
    EXPECT_EQ(mixed.status, 1);
    EXPECT_EQ(
        mixed.errors,
        "stap-report: 'counts' is in samples, 'after' in microseconds; --count compares the numbers of samples\n");
    EXPECT_EQ(run({"after", "--diff=counts", "--format=svg", "--count"}).status, 0);
}

TEST_F(StapReport, SaysWhatIsWrong) {
    EXPECT_EQ(run({"nowhere"}).errors, "stap-report: 'nowhere' cannot be read: No such file or directory\n");
    ASSERT_TRUE(write_file(path("script"), "#!/bin/sh\n# this is longer than a head\n"));
    EXPECT_EQ(run({"script"}).errors,
              "stap-report: 'script': this is not a capture; 'stap --record=FILE SCRIPT' makes one\n");
    capture("clean");
    const Result itself = run({"clean", "-o", "clean", "--format=svg"});
    EXPECT_EQ(itself.status, 1);
    EXPECT_EQ(itself.errors, "stap-report: 'clean' is the capture itself\n");
    EXPECT_EQ(run({"clean", "-o", "nowhere/x.svg"}).errors,
              "stap-report: 'nowhere/x.svg' cannot be written: No such file or directory\n");
}

#ifdef TAPIR_TESTS_SANITIZED
// AddressSanitizer keeps up to 256 MB of freed memory back.
constexpr long kMemoryLimit = 300'000 + 256 * 1024;
#else
constexpr long kMemoryLimit = 300'000;
#endif

// 1.2 GB of text in some kilobytes: what is read of it, and the memory of the program, are bounded.
TEST_F(StapReport, TakesBoundedMemory) {
    capture("bomb");
    const Result result = run({"bomb", "-o", "out.txt"});
    EXPECT_EQ(result.status, 3);
    EXPECT_NE(result.errors.find("it takes more memory than captures of its size do"), std::string::npos)
        << result.errors;
    EXPECT_LT(read_file(path("out.txt"))->size(), 200'000'000u);
    rusage used = {};
    ASSERT_EQ(getrusage(RUSAGE_CHILDREN, &used), 0);
    EXPECT_LT(used.ru_maxrss, kMemoryLimit) << "kB of the largest child";
}

// It runs under a filter of system calls, and as the user nobody if root starts it.
TEST_F(StapReport, ReadsLargeCapturesUnderTheFilter) {
    capture("large");
    const Result result = run({"large", "-o", "large.html"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_LT(read_file(path("large.html"))->size(), 4'000'000u);
}

std::string fault_of(const std::vector<std::string> &arguments) {
    const Outcome<Options> options = parse_options(arguments);
    return options ? "" : options.fault().text;
}

TEST(ReportOptions, Misuse) {
    EXPECT_EQ(fault_of({}), "which capture? Give its file, or - for standard input");
    EXPECT_EQ(fault_of({"a", "b"}), "one capture at a time; --diff compares it with another");
    EXPECT_EQ(fault_of({"a", "-o", "x.png"}),
              "the name 'x.png' does not tell the format; use one of the suffixes .txt, .folded, .svg, .html, .pb.gz, "
              ".speedscope.json, .chrome.json, .firefox.json, .shares.json, or --format");
    EXPECT_EQ(fault_of({"a", "--format=png"}),
              "--format knows text, folded, svg, html, pprof, speedscope, chrome, firefox, json, not 'png'");
    EXPECT_EQ(fault_of({"a", "--diff=b", "--format=pprof"}),
              "--diff goes with text, svg, html and folded, not with pprof");
    EXPECT_EQ(fault_of({"a", "--check", "-o", "x.svg"}),
              "--check makes no picture: it goes without --format, -o and --diff");
    EXPECT_EQ(fault_of({"a", "--all", "-o", "x.svg"}), "--all is for the summary, not for svg");
    EXPECT_EQ(fault_of({"a", "--match=x"}), "--match is for json, not for text");
    EXPECT_TRUE(fault_of({"a", "--format=json", "--match=x("}).starts_with("--match 'x(' is no regular expression: "));
    EXPECT_EQ(fault_of({"a", "--format=json", "--match=x"}), "");
    EXPECT_EQ(fault_of({"a", "--min-quality=101"}), "--min-quality takes 0 to 100 (percent)");
    EXPECT_EQ(fault_of({"a", "--from=-1"}), "--from takes seconds from the session's start");
    EXPECT_EQ(fault_of({"a", "--by=comm,"}), "--by takes labels with a comma between them");
    EXPECT_EQ(fault_of({"-", "--diff=-", "--format=svg"}), "only one capture can come from standard input");
    EXPECT_EQ(fault_of({"a", "--nonsense"}), "unrecognised option '--nonsense'");
}

// The program reports a system call that the filter refuses, in place of an empty file without a reason.
TEST(Confinement, TellsOfRefusedSystemCall) {
    const auto refused = [] {
        if (!confine(Reads::Nothing).empty()) _exit(3);
        (void)socket(AF_UNIX, SOCK_STREAM, 0);
        _exit(0);
    };
    EXPECT_EXIT(refused(), ::testing::ExitedWithCode(1),
                "ERROR: stopped at system call " + std::to_string(SYS_socket) + ", which the confinement");
}

// Signals go to itself, as abort() sends them, and to no other process.
TEST(Confinement, SendsSignalsToItselfOnly) {
    const auto signals = [](pid_t process, long thread) {
        if (!confine(Reads::Nothing).empty()) _exit(3);
        _exit(syscall(SYS_tgkill, process, thread, 0) == 0 ? 0 : 2);
    };
    EXPECT_EXIT(signals(getpid(), syscall(SYS_gettid)), ::testing::ExitedWithCode(0), "");
    EXPECT_EXIT(signals(getppid(), getppid()), ::testing::ExitedWithCode(1),
                "ERROR: stopped at system call " + std::to_string(SYS_tgkill) + ", which the confinement");
    EXPECT_EXIT((confine(Reads::Nothing), abort()), ::testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace tapir::report
