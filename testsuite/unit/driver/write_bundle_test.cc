// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/write_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/files.h"
#include "common/hash.h"

namespace tapir::driver {
namespace {

using ::testing::HasSubstr;

// A session that has come to the end of pass 4.
class DriverBundle : public ::testing::Test {
  protected:
    DriverBundle() : top_(*make_directory(temporary_root(), "bundle")), state_(options_, *backend_, diagnostics_) {
        state_.module_path = top_.path() + "/made.ko";
        state_.kernel.emplace();
        state_.kernel->release = "6.1.0-1";
        state_.kernel->arch = "x86_64";
        state_.sources.push_back(std::make_unique<SourceFile>("disk.stp", "probe never {}", Origin::UserScript));
        options_.bundle_file = top_.path() + "/out.tar";
        EXPECT_TRUE(write_file(state_.module_path, "module"));
        setenv("SYSTEMTAP_STAPRUN", "/proc/self/exe", 1);
    }
    ~DriverBundle() override { unsetenv("SYSTEMTAP_STAPRUN"); }

    // Returns the complaint when there is no bundle.
    std::string problem() {
        EXPECT_EQ(write_bundle(state_), "");
        EXPECT_FALSE(is_file(options_.bundle_file));
        return diagnostics_.all().size() == 1 ? diagnostics_.all().front()->message : "not one message";
    }
    void use_loader(const std::string &bytes) {
        EXPECT_TRUE(write_file(top_.path() + "/staprun", bytes, 0755));
        setenv("SYSTEMTAP_STAPRUN", (top_.path() + "/staprun").c_str(), 1);
    }
    // A 64-bit ELF program without program headers: static, as far as anyone can see.
    static std::string loader() {
        std::string bytes(
            "\x7f"
            "ELF\x02",
            5);
        bytes.resize(64);
        bytes[54] = 56;  // e_phentsize
        return bytes;
    }

    TemporaryDirectory top_;
    Options options_;
    Diagnostics diagnostics_;
    std::unique_ptr<Backend> backend_ = choose_backend(options_, diagnostics_);
    State state_;
};

TEST_F(DriverBundle, HasWhatBelongsToTheModule) {
    use_loader(loader());
    options_.globals.push_back({"n", "7"});
    ASSERT_EQ(write_bundle(state_), options_.bundle_file);
    const std::string plain = read_file(options_.bundle_file).value_or("");
    for (const char *part : {"made/made.ko", "made/run", "made/staprun", "made/metadata.json", "\"disk.stp\"",
                             "\"n=7\"", "\"6.1.0-1\"", "\"signed\": false"})
        EXPECT_THAT(plain, HasSubstr(part));
    EXPECT_EQ(plain.find("made.ko.sig"), std::string::npos);
    ASSERT_TRUE(write_file(state_.module_path + ".sig", "...\nsha256: " + sha256("module") + "\n..."));
    ASSERT_EQ(write_bundle(state_), options_.bundle_file);
    const std::string with = read_file(options_.bundle_file).value_or("");
    EXPECT_THAT(with, HasSubstr("made/made.ko.sig"));
    EXPECT_THAT(with, HasSubstr("...\nsha256: "));
    EXPECT_THAT(with, HasSubstr("\"signed\": true"));
}

TEST_F(DriverBundle, BundleIncomplete) {
    use_loader("#!/bin/sh\n");
    EXPECT_EQ(problem(),
              "Cannot put '" + top_.path() +
                  "/staprun' into the bundle: it is not a program (64-bit ELF) (--bundle, SYSTEMTAP_STAPRUN).");
}

TEST_F(DriverBundle, BundleIncompleteWithoutALoader) {
    setenv("SYSTEMTAP_STAPRUN", "/nowhere/staprun", 1);
    EXPECT_EQ(problem(), "Cannot put '/nowhere/staprun' into the bundle: No such file or directory (--bundle).");
}

TEST_F(DriverBundle, BundleIncompleteWithAnotherSignature) {
    use_loader(loader());
    ASSERT_TRUE(write_file(state_.module_path + ".sig", "...\nsha256: " + sha256("older") + "\n..."));
    EXPECT_EQ(problem(), "Cannot put '" + state_.module_path +
                             ".sig' into the bundle: it is the signature of another module; remove it, or sign this "
                             "one (--bundle).");
}

TEST_F(DriverBundle, OutputUnwritable) {
    use_loader(loader());
    options_.bundle_file = top_.path() + "/none/out.tar";
    EXPECT_EQ(problem(),
              "Cannot write the bundle '" + options_.bundle_file + "': No such file or directory (--bundle).");
}

}  // namespace
}  // namespace tapir::driver
