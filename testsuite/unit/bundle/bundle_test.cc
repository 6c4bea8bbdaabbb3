// SPDX-License-Identifier: GPL-2.0-or-later
#include "bundle/bundle.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/hash.h"

namespace tapir::bundle {
namespace {

using ::testing::HasSubstr;

// A loader that tells its words, each in brackets.
constexpr const char *kLoader = "#!/bin/sh\nfor word; do printf '[%s]' \"$word\"; done\n";

Contents contents() {
    utsname machine;
    uname(&machine);
    return {"stap_ab1",
            "the module's bytes",
            "",
            kLoader,
            "/home/me/disk o.stp",
            std::string(64, 'e'),
            machine.release,
            "",
            machine.machine,
            "0.1.0",
            {"-R"},
            {}};
}

class BundleTest : public ::testing::Test {
  protected:
    BundleTest() : top_(*make_directory(temporary_root(), "bundle test")) {}

    // Unpacks a bundle with tar into place().
    void unpack(const Contents &given) {
        std::string problem;
        std::string bytes = archive(given, problem);
        ASSERT_EQ(problem, "");
        ASSERT_TRUE(write_file(top_.path() + "/b.tar", bytes));
        ASSERT_EQ(sh("tar xf b.tar"), 0) << output_;
    }
    std::string place() const { return top_.path() + "/stap_ab1"; }

    // A command in the top folder: its status; output_ is what it says on both streams.
    int sh(const std::string &command) {
        output_.clear();
        std::FILE *pipe = popen(("cd '" + top_.path() + "' && { " + command + "; } 2>&1").c_str(), "r");
        std::array<char, 4096> some;
        while (size_t n = std::fread(some.data(), 1, some.size(), pipe))
            output_.append(some.data(), n);
        return WEXITSTATUS(pclose(pipe));
    }

    TemporaryDirectory top_;
    std::string output_;
};

TEST_F(BundleTest, IsTheSameForTheSameContents) {
    std::string problem;
    std::string first = archive(contents(), problem);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, archive(contents(), problem));
    Contents other = contents();
    other.module += "x";
    EXPECT_NE(first, archive(other, problem));
}

TEST_F(BundleTest, FilesHaveOneOwnerAndTimeAndAreSorted) {
    Contents given = contents();
    given.signature = "signature";
    unpack(given);
    ASSERT_EQ(sh("TZ=UTC tar tvf b.tar | awk '{ print $1, $2, $4, $6 }'"), 0);
    EXPECT_EQ(output_,
              "drwxr-xr-x root/root 1980-01-01 stap_ab1/\n"
              "-rw-r--r-- root/root 1980-01-01 stap_ab1/SHA256SUMS\n"
              "-rw-r--r-- root/root 1980-01-01 stap_ab1/metadata.json\n"
              "-rwxr-xr-x root/root 1980-01-01 stap_ab1/run\n"
              "-rw-r--r-- root/root 1980-01-01 stap_ab1/stap_ab1.ko\n"
              "-rw-r--r-- root/root 1980-01-01 stap_ab1/stap_ab1.ko.sig\n"
              "-rwxr-xr-x root/root 1980-01-01 stap_ab1/staprun\n");
    EXPECT_EQ(read_file(place() + "/stap_ab1.ko"), given.module);
    EXPECT_EQ(read_file(place() + "/stap_ab1.ko.sig"), "signature");
    EXPECT_EQ(sh("cd stap_ab1 && sha256sum --quiet --strict -c SHA256SUMS"), 0) << output_;
}

TEST_F(BundleTest, MetadataSaysWhatItIs) {
    Contents given = contents();
    given.release = "6.1.0-1";
    given.arch = "x86_64";
    given.globals = {"n=1"};
    auto json = nlohmann::json::parse(metadata(given));
    EXPECT_EQ(json,
              nlohmann::json::parse(
                  R"({"format": 1, "tapir": "0.1.0", "script": {"name": "/home/me/disk o.stp", "sha256": ")" +
                  std::string(64, 'e') + R"("}, "module": {"file": "stap_ab1.ko", "signed": false, "sha256": ")" +
                  sha256(given.module) + R"("}, "loader": {"file": "staprun", "sha256": ")" + sha256(kLoader) +
                  R"("}, "kernel": {"release": "6.1.0-1", "arch": "x86_64"}, "options": ["-R"], "globals": ["n=1"],
                        "run": "./run [OPTION]... [NAME=VALUE]..."})"));
    given.build_id = "0a1b";
    EXPECT_EQ(nlohmann::json::parse(metadata(given))["kernel"]["build_id"], "0a1b");
    given.script = "latin\xe9";
    EXPECT_TRUE(nlohmann::json::accept(metadata(given)));
}

TEST_F(BundleTest, RunHandsWordsToTheLoaderAsTheyAre) {
    Contents given = contents();
    given.options = {"-c", "echo \"$HOME\" 'it'\"'\"'s' `id`\n", ""};
    given.globals = {"s=a b", "t=$(id)"};
    unpack(given);
    EXPECT_EQ(sh("stap_ab1/run -v 'u=two  spaces' '*'"), 0);
    EXPECT_EQ(output_,
              "[-c][" + given.options[1] + "][][" + place() + "/stap_ab1.ko][s=a b][t=$(id)][-v][u=two  spaces][*]");
    EXPECT_EQ(sh("cd stap_ab1 && CDPATH=/usr sh run"), 0);
    EXPECT_THAT(output_, HasSubstr("[" + place() + "/stap_ab1.ko]"));
}

TEST_F(BundleTest, RunRefusesOtherMachines) {
    Contents given = contents();
    given.release = "1.2.3-other";
    unpack(given);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: The module is for the kernel 1.2.3-other, and this one is " + contents().release +
                           ": make a bundle for it with 'stap -p4 --bundle -r " + contents().release + "'.\n");
    given.arch = "pdp11";
    unpack(given);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: The module is for machines of type pdp11, and this one is " + contents().arch +
                           ": make a bundle on a machine of its type.\n");
}

TEST_F(BundleTest, RunRefusesWhatIsNotWhole) {
    unpack(contents());
    ASSERT_EQ(sh("echo >>stap_ab1/stap_ab1.ko"), 0);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: The files in '" + place() +
                           "' are not those that were bundled (see SHA256SUMS): unpack the bundle again.\n");
    ASSERT_EQ(sh("rm stap_ab1/stap_ab1.ko"), 0);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: '" + place() + "/stap_ab1.ko' is missing: unpack the bundle again, all of it.\n");
    unpack(contents());
    ASSERT_EQ(sh("chmod a-x stap_ab1/staprun"), 0);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: '" + place() +
                           "/staprun' may not be executed: unpack the bundle with its permissions, on a file system "
                           "without 'noexec'.\n");
}

TEST_F(BundleTest, RunDoesWithoutSha256sum) {
    unpack(contents());
    ASSERT_EQ(sh("mkdir bin && ln -s $(command -v dirname) $(command -v uname) bin"), 0);
    EXPECT_EQ(sh("PATH=$PWD/bin /bin/sh stap_ab1/run"), 0);
    EXPECT_EQ(output_, "[-R][" + place() + "/stap_ab1.ko]");
}

// An ELF file whose one program header has this type.
std::string program(uint32_t type) {
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = 1;
    Elf64_Phdr part = {};
    part.p_type = type;
    std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
    return bytes.append(reinterpret_cast<const char *>(&part), sizeof part);
}

TEST(BundleLoader, MustBeStatic) {
    EXPECT_EQ(loader_problem(program(PT_LOAD)), "");
    EXPECT_EQ(loader_problem(program(PT_INTERP)), "it needs shared libraries, which the other machine may not have");
    EXPECT_EQ(loader_problem(kLoader), "it is not a program (64-bit ELF)");
    EXPECT_EQ(loader_problem(program(PT_LOAD).substr(0, 100)), "its ELF headers are damaged");
    EXPECT_EQ(loader_problem(""), "it is not a program (64-bit ELF)");
}

TEST_F(BundleTest, RefusesAnotherBuildOfItsKernel) {
    const std::string notes = read_file("/sys/kernel/notes").value_or("");
    const std::string head("\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0", 16);
    const size_t at = notes.find(head);
    if (at == std::string::npos) GTEST_SKIP() << "this kernel does not tell its build-id";
    Contents given = contents();
    given.build_id = to_hex(reinterpret_cast<const unsigned char *>(notes.data()) + at + head.size(), 20);
    unpack(given);
    EXPECT_EQ(sh("stap_ab1/run"), 0) << output_;
    given.build_id = std::string(40, 'a');
    unpack(given);
    EXPECT_EQ(sh("stap_ab1/run"), 1);
    EXPECT_EQ(output_, "ERROR: The module is for another build of the kernel " + given.release + " (build-id " +
                           given.build_id + "): make a bundle for this one with 'stap -p4 --bundle'.\n");
}

}  // namespace
}  // namespace tapir::bundle
