// SPDX-License-Identifier: GPL-2.0-or-later
#include "admission.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "../said.h"
#include "../trust/authority.h"
#include "common/plain_text.h"
#include "testsuite/unit/module/fake_module.h"

namespace tapir::staprun {
namespace {

using trust::Audience;
using trust::Folder;
using trust::Identity;
using trust::kDay;
using trust::kNow;

constexpr char kRelease[] = "6.1.0-56-amd64";
constexpr size_t kLimit = 1 << 20;

class StaprunAdmission : public ::testing::Test {
  protected:
    StaprunAdmission() {
        folder_.write("trust/signer.pem", trust::pem(signer_));
        place_ = {folder_.path() + "/trust", folder_.protection()};
        image_ = Builder().build();
        path_ = folder_.write("home/stap_x.ko", image_);
    }

    void sign(Audience audience, const std::string &release = kRelease) {
        trust::Manifest manifest;
        manifest.sha256 = trust::sha256(image_);
        manifest.name = "stap_x";
        manifest.release = release;
        manifest.architecture = kThisMachine;
        manifest.abi = TAPIR_ABI;
        manifest.audience = audience;
        manifest.not_before = kNow - kDay;
        manifest.not_after = kNow + kDay;
        manifest.id = trust::random_id();
        const Outcome<std::string> signature = trust::sign(manifest, trust::signer_of(signer_));
        ASSERT_EQ("", said(signature));
        folder_.write("home/stap_x.ko.sig", *signature);
    }
    Source read(const std::string &path) {
        return read_source(path, kLimit, {folder_.path() + "/approved"}, folder_.protection());
    }
    Admission admit_as(Standing standing, const Source &source) {
        EXPECT_EQ("", said(source.readable));
        const Caller caller = {caller_, caller_, standing};
        EXPECT_EQ("", said(file_.parse(source.image)));
        return admit(caller, source, file_, {file_.image(), file_.name(), kRelease, "#1 SMP", kThisMachine, TAPIR_ABI},
                     place_, kNow);
    }
    // The tag of the reason, for or against.
    std::string result(Standing standing) {
        const Admission admission = admit_as(standing, read(path_));
        return admission.outcome ? std::string("+") + admission.tag : tag_of(admission.outcome);
    }

    Folder folder_;
    Identity signer_ = trust::make_identity();
    TrustPlace place_;
    std::string image_, path_;
    ModuleFile file_;
    uid_t caller_ = getuid();
};

TEST_F(StaprunAdmission, NotSigned) {
    EXPECT_EQ("not-a-member", result(Standing::Nobody));
    EXPECT_EQ("not-signed", result(Standing::User));
    EXPECT_EQ("not-signed", result(Standing::System));
    EXPECT_EQ("+developer", result(Standing::Developer));
    EXPECT_EQ(format("members of stapusr run modules that a signer trusted on this machine has signed, or that the "
                     "administrator keeps in "
                     "/lib/modules/%s/tapir; this one has no signature ('%s.sig': No such file or directory)",
                     kRelease, path_.c_str()),
              said(admit_as(Standing::User, read(path_)).outcome));
}

// A directory that is not there is not the root, whose files then would be approved.
TEST_F(StaprunAdmission, MissingDirectoryApprovesNothing) {
    const Source source = read_source("/", kLimit, {folder_.path() + "/none"}, folder_.protection());
    EXPECT_FALSE(source.approved);
    EXPECT_EQ("", said(source.approval));
}

TEST_F(StaprunAdmission, AudienceMissed) {
    sign(Audience::Users);
    EXPECT_EQ("+signed", result(Standing::User));
    EXPECT_EQ("+signed", result(Standing::System));
    EXPECT_EQ("not-a-member", result(Standing::Nobody));
    sign(Audience::System);
    EXPECT_EQ("audience", result(Standing::User));
    EXPECT_EQ("+signed", result(Standing::System));
    sign(Audience::Developers);
    EXPECT_EQ("audience", result(Standing::System));
    EXPECT_EQ(
        "it was signed for members of stapdev, and you are not one; ask the administrator to add you to stapdev, or "
        "have it signed for stapusr",
        said(admit_as(Standing::User, read(path_)).outcome));
}

TEST_F(StaprunAdmission, NotOwn) {
    Source source = read(path_);
    source.owner = caller_ + 1;
    EXPECT_EQ(caller_ + 1 == 0 ? "" : "not-own", tag_of(admit_as(Standing::Developer, source).outcome));
    chmod(path_.c_str(), 0666);
    EXPECT_EQ("not-own", result(Standing::Developer));
    EXPECT_EQ(
        "it belongs to another user, or others can write it; members of stapdev run their own modules, and those that "
        "are signed or approved",
        said(admit_as(Standing::Developer, read(path_)).outcome));
}

// They may what members of stapusr may, and what is signed for them.
TEST_F(StaprunAdmission, DevelopersRunWhatIsSignedOrApproved) {
    chmod(path_.c_str(), 0666);
    for (const Audience audience : {Audience::Users, Audience::System, Audience::Developers}) {
        sign(audience);
        EXPECT_EQ("+signed", result(Standing::Developer));
    }
    sign(Audience::Users, "6.1.0-55-amd64");
    EXPECT_EQ("kernel-mismatch", result(Standing::Developer));
    const std::string path = folder_.write("approved/stap_x.ko", image_);
    chmod((folder_.path() + "/approved").c_str(), 0755);
    Source source = read(path);
    source.owner = caller_ + 1;
    EXPECT_STREQ("approved", admit_as(Standing::Developer, source).tag);
}

TEST_F(StaprunAdmission, ApprovedModulesNeedNoSignature) {
    const std::string path = folder_.write("approved/stap_x.ko", image_);
    chmod((folder_.path() + "/approved").c_str(), 0755);
    EXPECT_STREQ("approved", admit_as(Standing::User, read(path)).tag);
    // However it is named: the file is what counts.
    EXPECT_STREQ("approved", admit_as(Standing::User, read(folder_.path() + "/home/../approved/stap_x.ko")).tag);
    std::filesystem::create_symlink(path, folder_.path() + "/home/link.ko");
    EXPECT_STREQ("approved", admit_as(Standing::User, read(folder_.path() + "/home/link.ko")).tag);
    // Not below it.
    const std::string deeper = folder_.write("approved/more/stap_x.ko", image_);
    EXPECT_EQ("not-signed", tag_of(admit_as(Standing::User, read(deeper)).outcome));
    chmod(path.c_str(), 0664);
    const Admission admission = admit_as(Standing::User, read(path));
    EXPECT_EQ("not-signed", tag_of(admission.outcome));
    EXPECT_NE(std::string::npos,
              said(admission.outcome).find("and is not approved: '" + path + "' can be written by others"));
    chmod(path.c_str(), 0644);
    chmod((folder_.path() + "/approved").c_str(), 0777);
    EXPECT_EQ("not-signed", tag_of(admit_as(Standing::User, read(path)).outcome));
    // A link out of the directory approves nothing.
    chmod((folder_.path() + "/approved").c_str(), 0755);
    std::filesystem::remove(path);
    std::filesystem::create_symlink(path_, path);
    EXPECT_EQ("it is a symbolic link, which is not followed here", said(read(path).readable));
}

TEST_F(StaprunAdmission, ApprovedModulesCanBeRevoked) {
    const std::string path = folder_.write("approved/stap_x.ko", image_);
    chmod((folder_.path() + "/approved").c_str(), 0755);
    folder_.write("trust/revoked", "module " + trust::sha256(image_) + "\n");
    const auto refusal = [&] { return admit_as(Standing::User, read(path)).outcome; };
    EXPECT_EQ("module-revoked", tag_of(refusal()));
    EXPECT_EQ("it has been revoked on this machine", said(refusal()));
    std::filesystem::remove(folder_.path() + "/trust/signer.pem");
    EXPECT_EQ("module-revoked", tag_of(refusal()));
    folder_.write("trust/revoked", "module 1\n");
    EXPECT_EQ("store-damaged", tag_of(refusal()));
    std::filesystem::remove_all(folder_.path() + "/trust");
    EXPECT_EQ("", tag_of(refusal()));
}

TEST_F(StaprunAdmission, TamperedReplayedAndUnsafe) {
    sign(Audience::Users);
    const std::string good = image_;
    image_.back() = static_cast<char>(image_.back() ^ 1);
    folder_.write("home/stap_x.ko", image_);
    EXPECT_EQ("digest-mismatch", result(Standing::User));
    image_ = good;
    folder_.write("home/stap_x.ko", image_);
    folder_.write("home/stap_x.ko.sig", "garbage");
    EXPECT_EQ("signature-damaged", result(Standing::User));
    sign(Audience::Users, "6.1.0-55-amd64");
    EXPECT_EQ("kernel-mismatch", result(Standing::User));
    sign(Audience::Users);
    chmod((folder_.path() + "/trust").c_str(), 0777);
    EXPECT_EQ("store-unsafe", result(Standing::User));
    std::filesystem::remove_all(folder_.path() + "/trust");
    EXPECT_EQ("store-missing", result(Standing::User));
}

TEST_F(StaprunAdmission, ModuleUnreadable) {
    EXPECT_EQ("it is not a regular file", said(read("/dev/null").readable));
    EXPECT_EQ("it is not a regular file", said(read(folder_.path()).readable));
    mkfifo((folder_.path() + "/pipe.ko").c_str(), 0600);
    EXPECT_EQ("it is not a regular file", said(read(folder_.path() + "/pipe.ko").readable));
    std::filesystem::create_symlink(path_, folder_.path() + "/home/link.ko");
    EXPECT_EQ("it is a symbolic link, which is not followed here",
              said(read(folder_.path() + "/home/link.ko").readable));
    EXPECT_EQ("File too large", said(read(folder_.write("huge.ko", std::string(kLimit + 1, 'x'))).readable));
    EXPECT_EQ("No such file or directory", said(read(folder_.path() + "/missing").readable));
    // The same goes for signatures.
    std::filesystem::create_symlink("/dev/zero", folder_.path() + "/home/stap_x.ko.sig");
    EXPECT_EQ("not-signed", result(Standing::User));
}

// The inserted image (file_.image()) is the signed one, even if the file changes while it is looked at.
TEST_F(StaprunAdmission, FileChangesWhileItIsLookedAt) {
    sign(Audience::Users);
    Builder other;
    other.modinfo += std::string("evil=1\0", 7);
    const std::string evil = other.build();
    std::atomic<bool> end = false;
    std::atomic<unsigned> swaps = 0;
    std::thread swapper([&] {
        for (unsigned i = 0; !end; i++, swaps++) {
            const std::string next = folder_.write("home/next.ko", i % 2 ? evil : image_);
            if (rename(next.c_str(), path_.c_str()) != 0) swaps = 20000;
            if (i % 16 == 0) folder_.write("home/stap_x.ko", i % 32 ? evil : image_);  // in place
        }
    });
    unsigned admitted = 0, refused = 0;
    for (unsigned i = 0; swaps < 20000 && (i < 200 || !admitted || !refused); i++) {
        const Source source = read(path_);
        if (!source.readable || !file_.parse(source.image)) continue;
        const Caller caller = {caller_, caller_, Standing::User};
        const Admission admission = admit(
            caller, source, file_, {file_.image(), file_.name(), kRelease, "", kThisMachine, TAPIR_ABI}, place_, kNow);
        if (admission.outcome) {
            admitted++;
            EXPECT_EQ(image_, file_.image());
        } else {
            refused++;
            EXPECT_EQ("digest-mismatch", tag_of(admission.outcome));
        }
    }
    end = true;
    swapper.join();
    EXPECT_GT(admitted, 0u);
    EXPECT_GT(refused, 0u);
}

std::string refused_option(Standing standing, std::vector<std::string> words) {
    words.insert(words.begin(), "staprun");
    const ParsedOptions parsed = parse_options(words);
    EXPECT_EQ("", said(parsed.outcome));
    return said(check_caller({1000, 1000, standing}, parsed.options));
}

TEST(StaprunCallerOptions, OptionRefused) {
    for (const auto &words : std::vector<std::vector<std::string>>{{"-L", "m.ko"},
                                                                   {"-D", "-o", "f", "m.ko"},
                                                                   {"--limit", "MAXACTION=5", "m.ko"},
                                                                   {"-s", "65", "m.ko"},
                                                                   {"--stack-memory=65", "m.ko"},
                                                                   {"--suppress-handler-errors", "m.ko"}}) {
        EXPECT_EQ("", refused_option(Standing::Root, words));
        EXPECT_EQ("", refused_option(Standing::Developer, words));
        EXPECT_NE("", refused_option(Standing::System, words));
        EXPECT_NE("", refused_option(Standing::User, words));
    }
    EXPECT_EQ("-L is for root and members of the group stapdev; you are a member of stapusr",
              refused_option(Standing::User, {"-L", "m.ko"}));
    EXPECT_EQ(
        "-s with more than 64 megabytes is for root and members of the group stapdev; you are a member of stapsys",
        refused_option(Standing::System, {"-s", "65", "m.ko"}));
    // The option that the user has written, and how much is allowed.
    for (const auto &[word, named] : std::vector<std::pair<std::string, std::string>>{
             {"--stack-memory=1024", "--stack-memory with more than 64 megabytes"},
             {"-b65", "-b with more than 64 megabytes"},
             {"--limit=STACK_BYTES=99999999999", "--limit STACK_BYTES with more than 64 megabytes"},
             {"--limit=BUFFER_BYTES=99999999", "--limit BUFFER_BYTES with more than 64 megabytes"},
             {"--limit=MAXERRORS=5", "--limit MAXERRORS"}})
        EXPECT_EQ(named + " is for root and members of the group stapdev; you are a member of stapusr",
                  refused_option(Standing::User, {word, "m.ko"}));
    EXPECT_EQ("", refused_option(Standing::User, {"--stack-memory=64", "--on-overload=stop:30", "--budget=5", "m.ko"}));
    EXPECT_EQ("", refused_option(Standing::User, {"-o", "f", "-c", "true", "-s", "64", "-R", "-t", "m.ko", "a=1"}));
    EXPECT_EQ("", refused_option(Standing::Root, {"-A", "m"}));
}

TEST(StaprunCallerOptions, NotAMember) {
    EXPECT_EQ(
        "only root and members of the group stapusr can run scripts here. Ask the administrator to add you to stapusr "
        "(for modules that are signed or approved), to stapsys as well (for those that are signed for the whole "
        "system), or to stapusr and stapdev (for your own); then log in again",
        refused_option(Standing::Nobody, {"-A", "m"}));
}

TEST(StaprunCallerOptions, TargetRefused) {
    Options options;
    options.target = 1;
    const Caller user = {4242, 4242, Standing::User};
    EXPECT_EQ(
        "target-refused: -x: process 1 is not one of yours; members of stapusr and stapsys can only name their own",
        tagged(check_target(user, options)));
    EXPECT_EQ("", tag_of(check_target({4242, 4242, Standing::Developer}, options)));
    options.target = getpid();
    EXPECT_EQ("", tag_of(check_target({getuid(), getgid(), Standing::User}, options)));
    options.target = 4194304;  // there is none
    for (const Standing standing : {Standing::User, Standing::Developer})
        EXPECT_EQ("target-refused: -x: there is no process 4194304",
                  tagged(check_target({4242, 4242, standing}, options)));
}

}  // namespace
}  // namespace tapir::staprun
