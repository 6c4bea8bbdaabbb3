// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/server_options.h"

#include <gtest/gtest.h>

#include "../said.h"
#include "../trust/authority.h"
#include "server/kernel_list.h"

namespace tapir::server {
namespace {

const std::vector<std::string> kLeastOptions = {"--certificate=c", "--key=k", "--policy=p", "--tokens=t"};

std::string parse(std::vector<std::string> more, Options &out) {
    more.insert(more.begin(), kLeastOptions.begin(), kLeastOptions.end());
    return said(parse_options(more, out));
}

TEST(Options, AskForWhatServingNeeds) {
    Options options;
    EXPECT_EQ(
        "--certificate and --key are needed: there is no serving without TLS\n"
        "--policy is needed: without it the server refuses all clients\n"
        "--client-ca or --tokens is needed: how else would clients be known?",
        said(parse_options({}, options)));
    EXPECT_EQ("--policy is needed: without it the server refuses all clients",
              said(parse_options({"--certificate=c", "--key=k", "--tokens=t"}, options)));
    EXPECT_EQ("--client-ca or --tokens is needed: how else would clients be known?",
              said(parse_options({"--certificate=c", "--key=k", "--policy=p"}, options)));
    EXPECT_EQ("", parse({}, options));
    EXPECT_EQ("--client-crl is nothing without --client-ca", parse({"--client-crl=x"}, options));
    EXPECT_EQ("", said(parse_options({"--add-kernel=6.1", "--state=/x"}, options)));
    EXPECT_EQ(Options::Action::AddKernel, options.action);
}

TEST(Options, TakeLimits) {
    Options options;
    ASSERT_EQ("", parse({"--time-limit=5", "--memory-mb=100", "--processes=7", "--tapsets=net=/srv/net",
                         "--sign-for=stapusr"},
                        options));
    EXPECT_EQ(5u, options.limits.wall_s);
    EXPECT_EQ(6u, options.limits.cpu_s);
    EXPECT_EQ(100ull << 20, options.limits.address_bytes);
    EXPECT_EQ(7u, options.limits.processes);
    EXPECT_EQ("/srv/net", options.tapset_sets.at("net"));
    EXPECT_EQ(trust::Audience::Users, options.audience);
    EXPECT_EQ("a limit of 0 lets nothing through", parse({"--time-limit=0"}, options));
    EXPECT_EQ("--tapsets takes NAME=DIR, a plain name and an absolute path", parse({"--tapsets=../x=/y"}, options));
    EXPECT_EQ("--sign-for takes stapusr, stapsys or stapdev", parse({"--sign-for=all"}, options));
    EXPECT_EQ("--state takes an absolute path", parse({"--state=x"}, options));
    EXPECT_EQ("--sign-key and --sign-certificate need each other", parse({"--sign-key=x"}, options));
    EXPECT_NE("", parse({"--nonsense"}, options));
    EXPECT_NE("", parse({"stray"}, options));
}

TEST(Options, CommandLineGoesBeforeTheFile) {
    trust::Folder folder;
    const std::string file =
        folder.write("server.conf", "# settings\ncertificate=c\nkey=k\npolicy=p\ntokens=t\nport=1234\nqueue=5\n");
    Options options;
    ASSERT_EQ("", said(parse_options({"--config=" + file, "--port=99"}, options)));
    EXPECT_EQ(99, options.port);
    EXPECT_EQ(5u, options.queue);
    EXPECT_EQ(folder.path() + "/none: it cannot be read: No such file or directory",
              said(parse_options({"--config=" + folder.path() + "/none"}, options)));
    folder.write("server.conf", "nonsense=1\n");
    EXPECT_NE("", said(parse_options({"--config=" + file}, options)));
}

TEST(KernelEntry, ComesBackWhole) {
    KernelEntry entry;
    entry.release = "6.1";
    entry.which = "/x";
    entry.vermagic = "6.1 SMP";
    entry.own = true;
    entry.prepared = 5;
    const auto back = KernelEntry::parse(entry.serialize());
    ASSERT_TRUE(back);
    EXPECT_EQ(entry.serialize(), back->serialize());
    EXPECT_FALSE(KernelEntry::parse("{}"));
    EXPECT_FALSE(KernelEntry::parse("x"));
}

TEST(Kernels, NamesAreNoPaths) {
    trust::Folder folder;
    KernelEntry entry;
    entry.release = "6.1";
    folder.write("kernels/6.1/kernel.json", entry.serialize());
    // One that says it is another is none.
    folder.write("kernels/6.2/kernel.json", entry.serialize());
    folder.write("kernels/.new-x/kernel.json", entry.serialize());
    Kernels kernels(folder.path(), {"/usr/bin/stap", "/usr/share/tapir"});
    EXPECT_TRUE(kernels.find("6.1"));
    EXPECT_FALSE(kernels.find("../kernels/6.1"));
    EXPECT_FALSE(kernels.find("6.2"));
    ASSERT_EQ(1u, kernels.list().size());
}

TEST(Kernels, HeadersOfTheirOwnHideTheMachines) {
    Kernels kernels("/state", {"/usr/bin/stap", "/usr/share/tapir"});
    KernelEntry entry;
    entry.release = entry.which = "6.1";
    const auto shows = [&](const std::string &path) {
        for (const SandboxBind &bind : kernels.job_for(entry).binds)
            if (bind.from == path) return true;
        return false;
    };
    EXPECT_TRUE(shows("/boot/vmlinuz-6.1"));
    EXPECT_TRUE(shows("/state/kernels/6.1/cache"));
    EXPECT_FALSE(shows(""));
    entry.own = true;
    EXPECT_FALSE(shows("/boot/vmlinuz-6.1"));
    EXPECT_TRUE(shows("/state/kernels/6.1/cache"));
    for (const SandboxBind &bind : kernels.job_for(entry).binds)
        EXPECT_FALSE(bind.writable);
}

}  // namespace
}  // namespace tapir::server
