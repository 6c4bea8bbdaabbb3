// SPDX-License-Identifier: GPL-2.0-or-later
// Signatures of debug files: of one's signers, of others, of other files.
#include "debuginfod/file_signature.h"

#include <gtest/gtest.h>

#include "common/base64.h"
#include "common/files.h"
#include "common/hash.h"
#include "testsuite/unit/trust/authority.h"

namespace tapir::debuginfod {
namespace {

class Signature : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_TRUE(write_file(path("file"), "the debug file"));
        ASSERT_TRUE(write_file(path("signers.pem"), trust::pem(authority_)));
        ASSERT_TRUE(signers_.load(path("signers.pem")));
    }
    std::string path(const std::string &name) const { return directory_.path() + "/" + name; }
    static trust::Wanted valid(const char *name, bool authority = false) {
        const int64_t now = time(nullptr);
        return {.name = name, .authority = authority, .from = now - trust::kDay, .to = now + trust::kDay};
    }
    static std::string sign(const trust::Identity &signer, const std::function<void(trust::Manifest &)> &change = {}) {
        trust::Manifest manifest;
        manifest.sha256 = sha256("the debug file");
        manifest.name = "debuginfo";
        manifest.release = "0123456789";
        manifest.architecture = "none";
        manifest.not_before = time(nullptr) - 60;
        manifest.not_after = time(nullptr) + 60;
        manifest.id = trust::random_id();
        if (change) change(manifest);
        const Outcome<std::string> made = trust::sign(manifest, trust::signer_of(signer));
        EXPECT_TRUE(made);
        return to_base64(made ? *made : "");
    }
    // Why the file is refused; "" if it is not.
    std::string refusal(const std::string &signature, FileKind kind = FileKind::DebugInfo) const {
        const Outcome<void> good = signers_.check(signature, path("file"), kind, "0123456789");
        return good ? "" : good.fault().message();
    }

    TemporaryDirectory directory_{*make_directory(temporary_root(), "tapir-signature")};
    const trust::Identity authority_ = trust::make_identity(valid("Authority", true));
    const trust::Identity signer_ = trust::make_identity(valid("Server"), &authority_);
    const trust::Identity stranger_ = trust::make_identity(valid("Stranger"));
    FileSigners signers_;
};

TEST_F(Signature, OfOnesSignersCounts) {
    EXPECT_EQ(refusal(sign(signer_)), "");
    EXPECT_NE(refusal(sign(stranger_)).find("the file is refused: its signer 'CN=Stranger' is not trusted"),
              std::string::npos)
        << refusal(sign(stranger_));
    EXPECT_EQ(refusal(""),
              "the file is refused: it has no signature, and " + path("signers.pem") + " demands one (signers=)");
    EXPECT_EQ(refusal("?"), "the file is refused: its signature is damaged: it is not base64");
    EXPECT_EQ(refusal("AAAA"), "the file is refused: its signature is damaged: not a CMS message");
}

TEST_F(Signature, IsForThisFile) {
    EXPECT_EQ(refusal(sign(signer_), FileKind::Executable),
              "the file is refused: its signature is for 'debuginfo' of build-id 0123456789");
    EXPECT_EQ(refusal(sign(signer_, [](trust::Manifest &m) { m.release = "6.1.0"; })),
              "the file is refused: its signature is for 'debuginfo' of build-id 6.1.0");
    // A module's.
    EXPECT_EQ(refusal(sign(signer_, [](trust::Manifest &m) { m.abi = 28; })),
              "the file is refused: its signature is for 'debuginfo' of build-id 0123456789");
    EXPECT_NE(refusal(sign(signer_, [](trust::Manifest &m) { m.not_after = time(nullptr) - 5; })).find("has expired"),
              std::string::npos);
    const std::string good = sign(signer_);
    ASSERT_TRUE(write_file(path("file"), "another file"));
    EXPECT_EQ(refusal(good), "the file is refused: it is not the file that the server signed");
    ASSERT_TRUE(write_file(path("file"), ""));
    EXPECT_NE(refusal(good), "");
}

TEST_F(Signature, NeedsCertificates) {
    FileSigners signers;
    EXPECT_EQ(signers.load(path("none.pem")).fault().message(), path("none.pem") + ": No such file or directory");
    EXPECT_EQ(signers.load(path("file")).fault().message(),
              path("file") + " has no certificates in PEM, or a damaged one");
}

}  // namespace
}  // namespace tapir::debuginfod
