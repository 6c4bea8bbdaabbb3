// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/owners.h"

#include <map>

#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

using capture::KnownCapture;
using capture::Meta;

Meta target(const std::string &program) {
    Meta meta;
    meta.program = program;
    meta.target = program;
    return meta;
}

// By the frame's name.
std::map<std::string, Owner> owners(const MadeProfile &made, const Profile *before = nullptr) {
    const std::vector<Owner> all = owners_of({made.frames, made.profile, before});
    EXPECT_EQ(all.size(), made.frames.size());
    std::map<std::string, Owner> out;
    for (uint32_t i = 0; i < all.size(); i++)
        out[made.frames[i].name] = all[i];
    return out;
}

std::map<std::string, Owner> owners(const Meta &meta, const std::vector<std::vector<std::string>> &stacks,
                                    const ProfileOptions &options = {}) {
    return owners(MadeProfile(
        [&](KnownCapture &out) {
            out.writer().meta(meta);
            for (const std::vector<std::string> &stack : stacks)
                out.sample(stack, 1, 1);
        },
        options));
}

TEST(Owners, OfANativeProgram) {
    const auto of = owners(target("/usr/bin/server"), {{"_start", "libc.so.6!__libc_start_call_main", "main", "work",
                                                        "libc.so.6!memcpy", "k!asm_exc_page_fault"},
                                                       {"libc.so.6!clone3", "!libc.so.6"},
                                                       {"main", "t!report.lua:row"}});
    EXPECT_EQ(of.at("main"), Owner::Own);
    EXPECT_EQ(of.at("work"), Owner::Own);
    // It is in the program's file, and does nothing but start it.
    EXPECT_EQ(of.at("_start"), Owner::Library);
    EXPECT_EQ(of.at("__libc_start_call_main"), Owner::Library);
    EXPECT_EQ(of.at("clone3"), Owner::Library);
    EXPECT_EQ(of.at("memcpy"), Owner::Library);
    EXPECT_EQ(of.at("asm_exc_page_fault"), Owner::Kernel);
    EXPECT_EQ(of.at("report.lua:row"), Owner::Script);
    // Without a name, but known whose.
    EXPECT_EQ(of.at("[libc.so.6]"), Owner::Library);
}

// Without a chosen program, all programs matter.
TEST(Owners, OfAMachine) {
    const auto of = owners(Meta(), {{"main", "libssl.so.3!SSL_read"}, {"t!a.py:f"}});
    EXPECT_EQ(of.at("main"), Owner::Own);
    EXPECT_EQ(of.at("SSL_read"), Owner::Library);
    EXPECT_EQ(of.at("a.py:f"), Owner::Own);
}

TEST(Owners, StrippedProgramOwnsItsFrames) {
    const auto of = owners(MadeProfile([](KnownCapture &out) {
        out.writer().meta(target("/usr/bin/redis-server"));
        // Started by a link.
        out.writer().object({1, "/usr/bin/redis-check-rdb", "", 0, "/usr/bin/redis-server"});
        out.writer().stack({1, capture::End::None, capture::End::Complete, {{capture::FrameKind::File, 0, 1, 9, ""}}});
        out.writer().sample({1, 0, 1, 1, 0, {}});
    }));
    EXPECT_EQ(of.at("[redis-server]"), Owner::Own);
}

TEST(Owners, LibrariesBesideTheProgram) {
    const auto made = [](const std::string &program, const std::string &library) {
        return owners(MadeProfile([&](KnownCapture &out) {
            out.writer().meta(target(program));
            out.writer().object({1, library, "", 0});
            out.writer().stack(
                {1, capture::End::None, capture::End::Complete, {{capture::FrameKind::File, 0, 1, 9, ""}}});
            out.writer().sample({1, 0, 1, 1, 0, {}});
        }));
    };
    EXPECT_EQ(made("/srv/shop/orders", "/srv/shop/lib/libbook.so").at("[libbook.so]"), Owner::Own);
    EXPECT_EQ(made("/srv/shop/orders", "/srv/other/libbook.so").at("[libbook.so]"), Owner::Library);
    // All of a system is below these.
    EXPECT_EQ(made("/usr/orders", "/usr/lib/libc.so.6").at("[libc.so.6]"), Owner::Library);
    EXPECT_EQ(made("/orders", "/usr/lib/libc.so.6").at("[libc.so.6]"), Owner::Library);
    EXPECT_EQ(made("/usr/bin/orders", "/usr/bin/libx.so").at("[libx.so]"), Owner::Library);
}

TEST(Owners, PatternsAddFiles) {
    ProfileOptions options;
    options.own = {"libssl*", "*/report.lua"};
    auto of = owners(target("/usr/bin/server"), {{"main", "libssl.so.3!SSL_read", "libc.so.6!read"}}, options);
    EXPECT_EQ(of.at("SSL_read"), Owner::Own);
    EXPECT_EQ(of.at("read"), Owner::Library);
    options.own = {"/usr/lib/libc.*"};
    of = owners(target("/usr/bin/server"), {{"main", "libssl.so.3!SSL_read", "libc.so.6!read"}}, options);
    EXPECT_EQ(of.at("SSL_read"), Owner::Library);
    EXPECT_EQ(of.at("read"), Owner::Own);
}

// The label that @sample_interp gives samples of an interpreter.
MadeProfile interpreted(const std::string &program, const std::string &frames, const ProfileOptions &options = {}) {
    return MadeProfile(
        [&](KnownCapture &out) {
            out.writer().meta(target(program));
            out.writer().object({1, program, "", 0, "", 1});
            out.writer().object({2, "/usr/lib/libc.so.6", "", 0});
            out.writer().interpreter({1, "Python", "loop"});
            const capture::Frame loop{capture::FrameKind::File, 0, 1, 16, ""},
                callee{capture::FrameKind::File, 0, 2, 8, ""};
            out.writer().name(loop, {{"loop", "", 0, 0}});
            out.writer().name(callee, {{"read", "", 0, 0}});
            out.writer().stack({1, capture::End::None, capture::End::Complete, {callee, loop}});
            out.writer().sample({1, 0, 1, 1, 0, {{"frames", frames, 0}}});
        },
        options);
}

TEST(Owners, OfPython) {
    const std::string frames =
        "<module> (/srv/shop.py:4);dumps (/usr/lib/python3.11/json/__init__.py:2);f (<frozen importlib._bootstrap>:1)";
    ProfileOptions native;
    native.native = true;
    auto of = owners(interpreted("/usr/bin/python3", frames, native));
    EXPECT_EQ(of.at("<module> (/srv/shop.py)"), Owner::Own);
    EXPECT_EQ(of.at("dumps (/usr/lib/python3.11/json/__init__.py)"), Owner::Library);
    EXPECT_EQ(of.at("f (<frozen importlib._bootstrap>)"), Owner::Library);
    EXPECT_EQ(of.at("loop"), Owner::Library);
    EXPECT_EQ(of.at("read"), Owner::Library);
    // The same frames in a program that has the interpreter built in.
    of = owners(interpreted("/usr/sbin/nginx", frames, native));
    EXPECT_EQ(of.at("<module> (/srv/shop.py)"), Owner::Script);
    EXPECT_EQ(of.at("loop"), Owner::Own);
    // Without the script's frames, the interpreter is the program to look at.
    const auto plain = owners(target("/usr/bin/server"), {{"main"}});
    EXPECT_EQ(plain.at("main"), Owner::Own);
}

TEST(Owners, Facts) {
    const MadeProfile waits("waits");
    EXPECT_EQ(owners(waits).at("[idle]"), Owner::Fact);
    EXPECT_EQ(owners(MadeProfile("cut")).at("[cut at the limit of frames]"), Owner::Fact);
}

TEST(Owners, Words) {
    EXPECT_STREQ(owner_word(Owner::Own), "own");
    EXPECT_STREQ(owner_word(Owner::Fact), "fact");
    EXPECT_EQ(owner_text(Owner::Own, "orders"), "orders");
    EXPECT_EQ(owner_text(Owner::Own, ""), "programs");
    EXPECT_EQ(owner_text(Owner::Library, "orders"), "libraries");
}

}  // namespace
}  // namespace tapir::report
