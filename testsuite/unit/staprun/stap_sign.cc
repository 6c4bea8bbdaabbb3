// SPDX-License-Identifier: GPL-2.0-or-later
// The program stap-sign, from the outside.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "../said.h"
#include "../trust/authority.h"
#include "common/files.h"
#include "testsuite/trees.h"
#include "testsuite/unit/module/fake_module.h"
#include "trust/verify.h"

namespace tapir::staprun {
namespace {

using trust::Folder;
using trust::Identity;

class StapSign : public ::testing::Test {
  protected:
    StapSign() {
        const time_t now = time(nullptr);
        signer_ = trust::make_identity({.from = now - trust::kDay, .to = now + trust::kDay, .bits = 2048});
        keys_ = "--key=" + folder_.write("key.pem", trust::pem_key(signer_), 0600) +
                " --certificate=" + folder_.write("signer.pem", trust::pem(signer_));
        module_ = folder_.write("stap_x.ko", Builder().build());
    }

    // Returns the program's output, stdout and stderr; the status is in status_.
    std::string run(const std::string &arguments) {
        const std::string command = tapir::build_dir() + "/bin/stap-sign " + arguments + " 2>&1";
        FILE *pipe = popen(command.c_str(), "r");
        std::string out;
        char buffer[4096];
        while (const size_t got = fread(buffer, 1, sizeof buffer, pipe))
            out.append(buffer, got);
        status_ = WEXITSTATUS(pclose(pipe));
        return out;
    }
    // The last line, without what every message begins with.
    std::string error(const std::string &arguments) {
        std::string out = run(arguments);
        EXPECT_EQ(1, status_);
        if (!out.empty() && out.back() == '\n') out.pop_back();
        out.erase(0, out.rfind('\n') + 1);
        EXPECT_EQ(0u, out.find("error: "));
        return out.substr(7);
    }
    trust::Verdict verify() {
        folder_.write("trust/signer.pem", trust::pem(signer_));
        trust::Store store;
        EXPECT_EQ("", said(store.load(folder_.path() + "/trust", folder_.protection())));
        const std::string image = *read_file(module_);
        return trust::verify(*read_file(module_ + ".sig"),
                             {image, "stap_x", "6.1.0-56-amd64", "", kThisMachine, TAPIR_ABI}, store, time(nullptr));
    }

    Folder folder_;
    Identity signer_;
    std::string keys_, module_;
    int status_ = -1;
};

TEST_F(StapSign, SignsForAnAudience) {
    EXPECT_EQ("", run(keys_ + " --for=stapusr --days=7 --requester='a b' --uses=guru " + module_));
    EXPECT_EQ(0, status_);
    const trust::Verdict verdict = verify();
    EXPECT_EQ("", said(verdict.outcome));
    EXPECT_EQ(trust::Audience::Users, verdict.manifest.audience);
    EXPECT_EQ("a b", verdict.manifest.requester);
    EXPECT_EQ("guru", verdict.manifest.uses);
    EXPECT_NEAR(static_cast<double>(time(nullptr) + 7 * trust::kDay), static_cast<double>(verdict.manifest.not_after),
                60);
}

TEST_F(StapSign, TheKernelsSignatureComesFirst) {
    const std::string kernel =
        " --kernel-key=" + folder_.path() + "/key.pem --kernel-certificate=" + folder_.path() + "/signer.pem ";
    const std::string before = *read_file(module_);
    EXPECT_EQ("", run(keys_ + kernel + module_));
    const std::string after = *read_file(module_);
    EXPECT_EQ(before, after.substr(0, before.size()));
    EXPECT_TRUE(trust::has_kernel_signature(after));
    EXPECT_EQ("", said(verify().outcome));
    ModuleFile file;
    EXPECT_EQ("", said(file.parse(after)));
    EXPECT_TRUE(file.is_signed());
    EXPECT_FALSE(file.rename("other"));
    EXPECT_EQ("'" + module_ + "': it has a signature for the kernel already", error(kernel + module_));
}

// As openssl(1) reads the signature, which a structure of 12 bytes and a mark of 28 follow.
TEST_F(StapSign, KernelsSignatureHasTheDigestThatIsChosen) {
    const std::string kernel =
        "--kernel-key=" + folder_.path() + "/key.pem --kernel-certificate=" + folder_.path() + "/signer.pem ";
    const std::string before = *read_file(module_), signature = folder_.path() + "/p7s";
    const std::string plain = folder_.write("plain", before);
    for (const std::string digest : {"sha256", "sha384", "sha512"}) {
        folder_.write("stap_x.ko", before);
        EXPECT_EQ("", run(kernel + "--kernel-digest=" + digest + " " + module_));
        const std::string after = *read_file(module_);
        ASSERT_GT(after.size(), before.size() + 40);
        folder_.write("p7s", after.substr(before.size(), after.size() - before.size() - 40));
        const std::string openssl = "openssl cms -inform DER -in " + signature;
        EXPECT_EQ(0, system((openssl + " -verify -binary -noverify -content " + plain + " -certfile " + folder_.path() +
                             "/signer.pem -out /dev/null 2>" + folder_.path() + "/err")
                                .c_str()))
            << *read_file(folder_.path() + "/err");
        for (const std::string other : {"sha256", "sha384", "sha512"})
            EXPECT_EQ(other == digest ? 0 : 1,
                      WEXITSTATUS(
                          system((openssl + " -cmsout -print -noout | grep -q 'algorithm: " + other + " ('").c_str())))
                << digest << ", " << other;
    }
    folder_.write("stap_x.ko", before);
    EXPECT_NE(std::string::npos, error(kernel + "--kernel-digest=md9 " + module_).find("md9"));
    EXPECT_EQ(before, *read_file(module_));
}

// The key is locked by openssl(1).
TEST_F(StapSign, PassphraseUnlocksTheKey) {
    const std::string locked = folder_.path() + "/locked.pem";
    const std::string passphrase = folder_.write("passphrase", "open sesame\nnot this\n", 0600);
    ASSERT_EQ(0, system(("umask 077; openssl pkcs8 -topk8 -in " + folder_.path() +
                         "/key.pem -passout file:" + passphrase + " -out " + locked)
                            .c_str()));
    const std::string keys = "--key=" + locked + " --certificate=" + folder_.path() + "/signer.pem ";
    EXPECT_TRUE(error(keys + module_).ends_with("or has a passphrase"));
    const std::string wrong = folder_.write("wrong", "not this\n", 0600);
    EXPECT_TRUE(error(keys + "--passphrase-file=" + wrong + " " + module_).ends_with("its passphrase is another one"));
    EXPECT_EQ("", run(keys + "--passphrase-file=" + passphrase + " " + module_));
    EXPECT_EQ("", said(verify().outcome));
}

TEST_F(StapSign, RevokesCertificatesWithTheirKeys) {
    const std::string store = folder_.path() + "/s", certificate = folder_.path() + "/signer.pem";
    EXPECT_EQ("", run("--store=" + store + " --revoke=" + certificate));
    EXPECT_EQ("", run("--store=" + store + " --revoke=" + module_));
    EXPECT_EQ("certificate " + trust::fingerprint(signer_.certificate.get()) + "\nkey " +
                  trust::key_fingerprint(signer_.certificate.get()) + "\nmodule " + trust::sha256(*read_file(module_)) +
                  "\n",
              *read_file(store + "/revoked"));
    // As openssl(1) would tell the key's.
    FILE *pipe = popen(
        ("openssl x509 -noout -pubkey -in " + certificate + " | openssl pkey -pubin -outform DER | sha256sum").c_str(),
        "r");
    char digest[65] = "";
    EXPECT_EQ(1, fscanf(pipe, "%64s", digest));
    pclose(pipe);
    EXPECT_EQ(trust::key_fingerprint(signer_.certificate.get()), digest);
}

// Nothing that is done to the store leaves one that cannot be read: no module would be trusted any more.
TEST_F(StapSign, LeavesStoreSound) {
    const std::string store = folder_.path() + "/s", revoked = "module " + std::string(64, '0');
    folder_.write("s/signer.pem", trust::pem(signer_));
    folder_.write("s/revoked", revoked);  // as an editor may leave it: its last line has no end
    EXPECT_EQ("", run("--store=" + store + " --revoke=" + module_));
    EXPECT_EQ(revoked + "\nmodule " + trust::sha256(*read_file(module_)) + "\n", *read_file(store + "/revoked"));
    const trust::Protection protection = folder_.protection();
    EXPECT_EQ("", said(trust::Store().load(store, protection)));

    const Identity foreign = trust::make_identity({.authority = true});
    const std::string list = folder_.write("foreign.crl", trust::pem_list(foreign, nullptr));
    const std::string why = error("--store=" + store + " --trust=" + list);
    EXPECT_TRUE(
        why.ends_with("has a revocation list that no authority of the store has signed; the store is as it was "
                      "before"))
        << why;
    EXPECT_EQ("", said(trust::Store().load(store, protection)));
}

// Each keeps what the others have added.
TEST_F(StapSign, RevokesOneAtATime) {
    const std::string store = folder_.path() + "/s";
    std::string command = "for i in 1 2 3 4 5 6 7 8; do cp " + module_ + " " + folder_.path() + "/$i.ko; echo $i >>" +
                          folder_.path() + "/$i.ko; " + tapir::build_dir() + "/bin/stap-sign --store=" + store +
                          " --revoke=" + folder_.path() + "/$i.ko & done; wait";
    ASSERT_EQ(0, system(command.c_str()));
    const std::string revoked = *read_file(store + "/revoked");
    EXPECT_EQ(8, std::count(revoked.begin(), revoked.end(), '\n')) << revoked;
}

TEST_F(StapSign, ErrorsAreWholeTexts) {
    EXPECT_EQ("nothing to do: no key to sign with, and none of --verify, --trust, --list, --revoke", error(module_));
    EXPECT_EQ("no module given", error(keys_));
    EXPECT_EQ("--key and --certificate need each other", error("--key=x " + module_));
    EXPECT_EQ("--kernel-key and --kernel-certificate need each other", error("--kernel-certificate=x " + module_));
    EXPECT_EQ("signing, --verify, --trust, --list and --revoke exclude each other", error("--list --verify"));
    EXPECT_EQ("unexpected argument 'x'", error("--list x"));
    EXPECT_EQ("--for: 'root' is not one of stapusr, stapsys, stapdev", error(keys_ + " --for=root " + module_));
    EXPECT_EQ("--days: '0' is not a number from 1 to 3650", error(keys_ + " --days=0 " + module_));
    EXPECT_EQ("--store: the path has to begin with '/'", error("--list --store=x"));
    EXPECT_EQ("unknown option --frobnicate", error("--frobnicate"));
    EXPECT_EQ("option --key needs an argument", error("--key"));
    EXPECT_EQ("Couldn't read module '/nowhere.ko': No such file or directory", error(keys_ + " /nowhere.ko"));
    EXPECT_EQ("'" + folder_.path() + "/key.pem': not an ELF file", error(keys_ + " " + folder_.path() + "/key.pem"));
    EXPECT_EQ("'" + folder_.path() + "/key.pem' is not one certificate in PEM",
              error("--store=" + folder_.path() + "/s --trust=" + folder_.path() + "/key.pem"));
    const Identity server = trust::make_identity({.purpose = "serverAuth"});
    const std::string path = folder_.write("server.pem", trust::pem(server));
    EXPECT_EQ("'" + path + "' is neither an authority nor meant for signing code (extendedKeyUsage codeSigning)",
              error("--store=" + folder_.path() + "/s --trust=" + path));
    const Identity authority = trust::make_identity({.authority = true});
    const std::string list = trust::pem_list(authority, nullptr), lists = folder_.write("lists.crl", list + list);
    EXPECT_EQ("'" + lists + "' is not one revocation list in PEM",
              error("--store=" + folder_.path() + "/s --trust=" + lists));
    const std::string token = error("--key=pkcs11:object=x --certificate=" + folder_.path() + "/signer.pem " + module_);
    EXPECT_EQ(0u, token.find("Couldn't use the key 'pkcs11:object=x': "));  // and OpenSSL's own words
    EXPECT_NE(std::string::npos, token.find("; OpenSSL's configuration has to name a provider for PKCS#11"));
    EXPECT_FALSE(std::filesystem::exists(module_ + ".sig"));
}

TEST_F(StapSign, FileUnreadable) {
    EXPECT_EQ("Couldn't read '/nowhere.pem': No such file or directory", error("--trust=/nowhere.pem"));
}

TEST_F(StapSign, FileUnwritable) {
    const std::string place = folder_.write("file", "x");
    EXPECT_EQ("Couldn't make '" + place + "/s': Not a directory", error("--store=" + place + "/s --revoke=" + module_));
}

}  // namespace
}  // namespace tapir::staprun
