// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/build_request.h"

#include <gtest/gtest.h>

#include "../said.h"

namespace tapir::server {
namespace {

constexpr char kLeast[] = R"({"script": "probe begin {}", "kernel": {"release": "6.1.0-56-amd64"}})";

// The smallest request with more fields.
std::string with(const std::string &more) {
    return std::string(kLeast, sizeof kLeast - 2) + ", " + more + "}";
}

Outcome<BuildRequest> parse(const std::string &body) {
    return parse_request(body);
}

std::string text(const std::string &body) {
    return said(parse(body));
}

TEST(Request, LeastHasDefaults) {
    const Outcome<BuildRequest> parsed = parse(kLeast);
    ASSERT_EQ("", said(parsed));
    const BuildRequest &request = *parsed;
    EXPECT_EQ("probe begin {}", request.script);
    EXPECT_EQ("script.stp", request.name);
    EXPECT_EQ("6.1.0-56-amd64", request.release);
    EXPECT_EQ(4, request.last_pass);
    EXPECT_FALSE(request.guru);
}

TEST(Request, TakesWhatIsListed) {
    const std::string body = with(R"("name": "my.stp", "arguments": ["-x", "a b"], "arch": "x86_64",
        "options": ["-g", "-vD", "-D", "A=1", "-GB=2", "-m", "mine", "-p3", "--compatible=4.0", "--skip-badvars"])");
    EXPECT_EQ("option-refused", tag_of(parse(body)));  // -vD
    const std::string good =
        with(R"("name": "my.stp", "arguments": ["-x", "a b"], "tapsets": {"t.stp": "function f() {}"},
        "tapset_sets": ["net"], "options": ["-g", "-v", "-D", "A=1", "-GB=2", "-m", "mine", "-p3", "--compatible=4.0", "--option=min=3",
        "--skip-badvars"])");
    const Outcome<BuildRequest> parsed = parse(good);
    ASSERT_EQ("", said(parsed));
    const BuildRequest &request = *parsed;
    EXPECT_TRUE(request.guru);
    EXPECT_EQ("mine", request.module_name);
    EXPECT_EQ(3, request.last_pass);
    EXPECT_EQ(
        (std::vector<std::string>{"-v", "-DA=1", "-GB=2", "--compatible=4.0", "--option=min=3", "--skip-badvars"}),
        request.options);
    EXPECT_EQ((std::vector<std::string>{"-x", "a b"}), request.arguments);
    ASSERT_EQ(1u, request.tapsets.size());
    EXPECT_EQ("t.stp", request.tapsets[0].name);
}

TEST(Request, RequestOptionRefused) {
    EXPECT_EQ("option-refused: the option '--vm' is not taken here", tagged(parse(with(R"("options": ["--vm"])"))));
    for (const char *option : {"-I/etc", "-o/tmp/x", "-c id", "--vm", "-r/etc", "-BCC=sh", "--tmpdir=/", "-k", "-x1",
                               "--remote=h", "script", "-", "--", ""})
        EXPECT_EQ("option-refused", tag_of(parse(with("\"options\": [\"" + std::string(option) + "\"]")))) << option;
    EXPECT_EQ("-p takes a pass from 1 to 4: modules are run where they are wanted, not by the server",
              text(with(R"("options": ["-p5"])")));
    EXPECT_EQ("--suppress-time-limits needs -g: handlers could run for ever",
              text(with(R"("options": ["--suppress-time-limits"])")));
    EXPECT_EQ("-m takes 1-55 characters of a-z, A-Z, 0-9 and _", text(with(R"("options": ["-m", "../x"])")));
    EXPECT_EQ("the option -D needs a value", text(with(R"("options": ["-D"])")));
}

// Any word of the module's C could be given another meaning.
TEST(Request, TakesMacrosFromGurusOnly) {
    const auto text_of = [](const std::string &word) { return text(with("\"options\": [\"" + word + "\"]")); };
    for (const char *limit :
         {"-DMAXACTION=100000", "-DMAXACTION_INTERRUPTIBLE=0x10", "-DMAXSTRINGLEN=64", "-DHIST_ELISION=-1",
          "-DHIST_WIDTH=10", "-DHIST_UNITS=1", "-DMAXERRORS=5", "-DMINSTACKSPACE=4000", "-DMAXMAPENTRIES=65536"})
        EXPECT_EQ("", text_of(limit));
    EXPECT_EQ("-Dsizeof=__alignof__ needs -g: it is not a limit, but a macro for embedded C",
              text_of("-Dsizeof=__alignof__"));
    EXPECT_EQ("-DMAXACTIONS needs -g: it is not a limit, but a macro for embedded C", text_of("-DMAXACTIONS"));
    EXPECT_EQ("-DMAXACTION=100001 needs -g: at most 100000 statements are taken without",
              text_of("-DMAXACTION=100001"));
    EXPECT_EQ("-DMAXACTION_INTERRUPTIBLE=0x7fffffffffffffff needs -g: at most 1000000 statements are taken without",
              text_of("-DMAXACTION_INTERRUPTIBLE=0x7fffffffffffffff"));
    EXPECT_EQ("-DMAXMAPENTRIES=65537 needs -g: at most 65536 elements of an array are taken without",
              text_of("-DMAXMAPENTRIES=65537"));
    EXPECT_EQ("-DMAXTIME=10001 needs -g: at most 10000 microseconds are taken without", text_of("-DMAXTIME=10001"));
    EXPECT_EQ("-DMAXACTION=-1 needs -g: it is a number below 0", text_of("-DMAXACTION=-1"));
    EXPECT_EQ("-DMINSTACKSPACE=0 needs -g: at least 3072 bytes are taken without", text_of("-DMINSTACKSPACE=0"));
    EXPECT_EQ("", text(with(R"("options": ["-g", "-Dsizeof=__alignof__", "-DMAXACTION=-1"])")));
}

TEST(Request, RefusesNamesThatLeadElsewhere) {
    for (const char *name : {"../x.stp", "a/b.stp", ".stp", "-x.stp", "", "x.c"})
        EXPECT_EQ("bad-request", tag_of(parse(with("\"tapsets\": {\"" + std::string(name) + "\": \"\"}")))) << name;
    for (const char *release : {"..", "../../etc", "6.1/../..", "-r", ""})
        EXPECT_EQ("bad-request",
                  tag_of(parse("{\"script\": \"x\", \"kernel\": {\"release\": \"" + std::string(release) + "\"}}")))
            << release;
    EXPECT_EQ("'name' has to be a plain file name", text(with(R"("name": "/etc/passwd")")));
    EXPECT_EQ("'tapset_sets' has a name that is not plain", text(with(R"("tapset_sets": ["../.."])")));
}

TEST(Request, BadRequest) {
    EXPECT_EQ("the body is not JSON in UTF-8", text("{"));
    EXPECT_EQ("the body is not JSON in UTF-8", text("{\"script\": \"\xff\"}"));
    EXPECT_EQ("the body has to be a JSON object", text("[]"));
    EXPECT_EQ("there is no 'script'", text("{}"));
    EXPECT_EQ("there is no 'kernel.release' ('uname -r' of the machine to run on)", text(R"({"script": "x"})"));
    EXPECT_EQ("'script' has to be a string", text(R"({"script": 1})"));
    EXPECT_EQ("'script' has a NUL character", text(R"({"script": "a\u0000b"})"));
    EXPECT_EQ("'arguments' has a NUL character", text(with(R"("arguments": ["a\u0000b"])")));
    EXPECT_EQ("'kernel' has no field 'config'; there are release, build_id, vermagic",
              text(R"({"script": "x", "kernel": {"config": "y"}})"));
    EXPECT_NE(std::string::npos, text(with(R"("guru": true)")).find("there is no field 'guru'"));
}

TEST(Request, CanonicalTextTellsRequestsApart) {
    const BuildRequest one = *parse(R"({"kernel": {"release": "1"}, "script": "x", "options": ["-D", "MAXERRORS=1"]})");
    BuildRequest two = *parse(R"({"options": ["-DMAXERRORS=1"], "script": "x", "kernel": {"release": "1"}})");
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
