// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/build_request.h"

#include <gtest/gtest.h>

namespace tapir::server {
namespace {

constexpr char kLeast[] = R"({"script": "probe begin {}", "kernel": {"release": "6.1.0-56-amd64"}})";

// The smallest request with more fields.
std::string with(const std::string &more) {
    return std::string(kLeast, sizeof kLeast - 2) + ", " + more + "}";
}

Fault parse(const std::string &body) {
    BuildRequest request;
    return parse_request(body, request);
}

TEST(Request, LeastHasDefaults) {
    BuildRequest request;
    ASSERT_FALSE(parse_request(kLeast, request)) << parse(kLeast).text;
    EXPECT_EQ("probe begin {}", request.script);
    EXPECT_EQ("script.stp", request.name);
    EXPECT_EQ("6.1.0-56-amd64", request.release);
    EXPECT_EQ(4, request.last_pass);
    EXPECT_FALSE(request.guru);
}

TEST(Request, TakesWhatIsListed) {
    BuildRequest request;
    const std::string body = with(R"("name": "my.stp", "arguments": ["-x", "a b"], "arch": "x86_64",
        "options": ["-g", "-vD", "-D", "A=1", "-GB=2", "-m", "mine", "-p3", "--compatible=4.0", "--skip-badvars"])");
    EXPECT_EQ("option-refused", parse_request(body, request).tag);  // -vD
    const std::string good =
        with(R"("name": "my.stp", "arguments": ["-x", "a b"], "tapsets": {"t.stp": "function f() {}"},
        "tapset_sets": ["net"], "options": ["-g", "-v", "-D", "A=1", "-GB=2", "-m", "mine", "-p3", "--compatible=4.0", "--skip-badvars"])");
    ASSERT_EQ("", parse_request(good, request).text);
    EXPECT_TRUE(request.guru);
    EXPECT_EQ("mine", request.module_name);
    EXPECT_EQ(3, request.last_pass);
    EXPECT_EQ((std::vector<std::string>{"-v", "-DA=1", "-GB=2", "--compatible=4.0", "--skip-badvars"}),
              request.options);
    EXPECT_EQ((std::vector<std::string>{"-x", "a b"}), request.arguments);
    ASSERT_EQ(1u, request.tapsets.size());
    EXPECT_EQ("t.stp", request.tapsets[0].name);
}

TEST(Request, RefusesOptionsThatReachFilesOrRun) {
    for (const char *option : {"-I/etc", "-o/tmp/x", "-c id", "--vm", "-r/etc", "-BCC=sh", "--tmpdir=/", "-k", "-x1",
                               "--remote=h", "script", "-", "--", ""})
        EXPECT_EQ("option-refused", parse(with("\"options\": [\"" + std::string(option) + "\"]")).tag) << option;
    EXPECT_EQ("-p takes a pass from 1 to 4: modules are run where they are wanted, not by the server",
              parse(with(R"("options": ["-p5"])")).text);
    EXPECT_EQ("--suppress-time-limits needs -g: handlers could run for ever",
              parse(with(R"("options": ["--suppress-time-limits"])")).text);
    EXPECT_EQ("-m takes 1-55 characters of a-z, 0-9 and _", parse(with(R"("options": ["-m", "../x"])")).text);
    EXPECT_EQ("the option -D needs a value", parse(with(R"("options": ["-D"])")).text);
}

// Any word of the module's C could be given another meaning.
TEST(Request, TakesMacrosFromGurusOnly) {
    const auto text = [](const std::string &word) { return parse(with("\"options\": [\"" + word + "\"]")).text; };
    for (const char *limit : {"-DMAXACTION=1000000", "-DMAXACTION_INTERRUPTIBLE=0x10", "-DMAXSTRINGLEN=64",
                              "-DHIST_ELISION=-1", "-DHIST_WIDTH=10", "-DMAXERRORS=5", "-DMINSTACKSPACE=4000"})
        EXPECT_EQ("", text(limit));
    EXPECT_EQ("-Dsizeof=__alignof__ needs -g: it is no limit, but a macro for embedded C",
              text("-Dsizeof=__alignof__"));
    EXPECT_EQ("-DMAXACTIONS needs -g: it is no limit, but a macro for embedded C", text("-DMAXACTIONS"));
    EXPECT_EQ("-DMAXACTION=1000001 needs -g: at most 1000000 statements are taken without",
              text("-DMAXACTION=1000001"));
    EXPECT_EQ("-DMAXACTION_INTERRUPTIBLE=0x7fffffffffffffff needs -g: at most 10000000 statements are taken without",
              text("-DMAXACTION_INTERRUPTIBLE=0x7fffffffffffffff"));
    EXPECT_EQ("-DMAXACTION=-1 needs -g: it is a number below 0", text("-DMAXACTION=-1"));
    EXPECT_EQ("-DMINSTACKSPACE=0 needs -g: at least 3072 bytes are taken without", text("-DMINSTACKSPACE=0"));
    EXPECT_EQ("", parse(with(R"("options": ["-g", "-Dsizeof=__alignof__", "-DMAXACTION=-1"])")).text);
}

TEST(Request, RefusesNamesThatLeadElsewhere) {
    for (const char *name : {"../x.stp", "a/b.stp", ".stp", "-x.stp", "", "x.c"})
        EXPECT_EQ("bad-request", parse(with("\"tapsets\": {\"" + std::string(name) + "\": \"\"}")).tag) << name;
    for (const char *release : {"..", "../../etc", "6.1/../..", "-r", ""})
        EXPECT_EQ("bad-request",
                  parse("{\"script\": \"x\", \"kernel\": {\"release\": \"" + std::string(release) + "\"}}").tag)
            << release;
    EXPECT_EQ("'name' has to be a plain file name", parse(with(R"("name": "/etc/passwd")")).text);
    EXPECT_EQ("'tapset_sets' has a name that is not plain", parse(with(R"("tapset_sets": ["../.."])")).text);
}

TEST(Request, SaysWhatIsWrong) {
    EXPECT_EQ("the body is not JSON in UTF-8", parse("{").text);
    EXPECT_EQ("the body is not JSON in UTF-8", parse("{\"script\": \"\xff\"}").text);
    EXPECT_EQ("the body has to be a JSON object", parse("[]").text);
    EXPECT_EQ("there is no 'script'", parse("{}").text);
    EXPECT_EQ("there is no 'kernel.release' ('uname -r' of the machine to run on)", parse(R"({"script": "x"})").text);
    EXPECT_EQ("'script' has to be a string", parse(R"({"script": 1})").text);
    EXPECT_EQ("'script' has a NUL character", parse(R"({"script": "a\u0000b"})").text);
    EXPECT_EQ("'arguments' has a NUL character", parse(with(R"("arguments": ["a\u0000b"])")).text);
    EXPECT_EQ("'kernel' has no field 'config'; there are release, build_id, vermagic",
              parse(R"({"script": "x", "kernel": {"config": "y"}})").text);
    EXPECT_NE(std::string::npos, parse(with(R"("guru": true)")).text.find("there is no field 'guru'"));
}

TEST(Request, CanonicalTextTellsRequestsApart) {
    BuildRequest one, two;
    parse_request(R"({"kernel": {"release": "1"}, "script": "x", "options": ["-D", "A=1"]})", one);
    parse_request(R"({"options": ["-DA=1"], "script": "x", "kernel": {"release": "1"}})", two);
    EXPECT_EQ(canonical(one), canonical(two));
    two.guru = true;
    EXPECT_NE(canonical(one), canonical(two));
    two = one;
    two.arguments = {"x"};
    EXPECT_NE(canonical(one), canonical(two));
    two = one;
    two.tapsets = {{"a.stp", ""}};
    EXPECT_NE(canonical(one), canonical(two));
}

}  // namespace
}  // namespace tapir::server
