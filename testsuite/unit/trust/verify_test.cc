// SPDX-License-Identifier: GPL-2.0-or-later
#include "trust/verify.h"

#include <gtest/gtest.h>

#include "../said.h"
#include "authority.h"
#include "testsuite/trees.h"

namespace tapir::trust {
namespace {

constexpr char kImage[] = "the bytes of a module";

Manifest good_manifest() {
    Manifest manifest;
    manifest.sha256 = sha256(kImage);
    manifest.name = "stap_x";
    manifest.release = "6.1.0-test";
    manifest.build = "#1 SMP";
    manifest.architecture = "x86_64";
    manifest.abi = 7;
    manifest.audience = Audience::System;
    manifest.requester = "somebody@somewhere";
    manifest.not_before = kNow - kDay;
    manifest.not_after = kNow + kDay;
    manifest.id = random_id();
    return manifest;
}

Subject good_subject() {
    return {kImage, "stap_x", "6.1.0-test", "#1 SMP", "x86_64", 7};
}

class TrustVerify : public ::testing::Test {
  protected:
    TrustVerify() { folder_.write("trust/signer.pem", pem(signer_)); }

    Outcome<void> load() { return store_.load(folder_.path() + "/trust", folder_.protection()); }
    Verdict check(const Identity &signer, const Manifest &manifest, const Subject &subject, int64_t now = kNow) {
        const Outcome<std::string> signature = sign(manifest, signer_of(signer));
        EXPECT_EQ("", said(signature));
        return check_signature(*signature, subject, now);
    }
    Verdict check_signature(const std::string &signature, const Subject &subject, int64_t now = kNow) {
        EXPECT_EQ("", said(load()));
        return verify(signature, subject, store_, now);
    }
    std::string of(const Verdict &verdict) { return tagged(verdict.outcome); }

    Folder folder_;
    Identity signer_ = make_identity();
    Store store_;
};

TEST_F(TrustVerify, GoodSignature) {
    const Verdict verdict = check(signer_, good_manifest(), good_subject());
    EXPECT_EQ("ok", of(verdict));
    EXPECT_EQ("CN=Signer", verdict.signer);
    EXPECT_EQ(fingerprint(signer_.certificate.get()), verdict.fingerprint);
    EXPECT_EQ(Audience::System, verdict.manifest.audience);
    EXPECT_EQ("somebody@somewhere", verdict.manifest.requester);
}

TEST_F(TrustVerify, RsaAndAuthority) {
    const Identity authority = make_identity({.name = "Authority", .authority = true});
    const Identity middle = make_identity({.name = "Middle", .authority = true}, &authority);
    const Identity signer = make_identity({.name = "Leaf", .bits = 2048}, &middle);
    folder_.write("trust/authority.pem", pem(authority));
    EXPECT_EQ("signer-unknown", tag_of(check(signer, good_manifest(), good_subject()).outcome));
    Signer with_chain = signer_of(signer);
    X509_up_ref(middle.certificate.get());
    with_chain.chain.emplace_back(middle.certificate.get());
    const Outcome<std::string> signature = sign(good_manifest(), with_chain);
    ASSERT_EQ("", said(signature));
    EXPECT_EQ("ok", of(check_signature(*signature, good_subject())));
}

TEST_F(TrustVerify, SignerUnknown) {
    EXPECT_EQ("signer-unknown: its signer 'CN=Signer' is not trusted on this machine: self-signed certificate",
              of(check(make_identity(), good_manifest(), good_subject())));
}

TEST_F(TrustVerify, SignerExpired) {
    const Identity old = make_identity({.to = kNow - 1});
    folder_.write("trust/old.pem", pem(old));
    EXPECT_EQ("signer-expired: its signer 'CN=Signer' has a certificate that has expired, or whose authority's has",
              of(check(old, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, SignerNotYetValid) {
    const Identity early = make_identity({.from = kNow + 60});
    folder_.write("trust/early.pem", pem(early));
    EXPECT_EQ(
        "signer-not-yet-valid: its signer 'CN=Signer' has a certificate that is not valid yet (is the clock right?)",
        of(check(early, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, SignerPurpose) {
    const char *text =
        "signer-purpose: its signer 'CN=Signer' has a certificate that is not meant for signing code "
        "(extendedKeyUsage codeSigning)";
    for (const char *purpose : {"serverAuth", static_cast<const char *>(nullptr)}) {
        const Identity other = make_identity({.purpose = purpose});
        folder_.write("trust/other.pem", pem(other));
        EXPECT_EQ(text, of(check(other, good_manifest(), good_subject())));
    }
}

TEST_F(TrustVerify, SignerWeak) {
    const Identity weak = make_identity({.bits = 1024});
    folder_.write("trust/weak.pem", pem(weak));
    EXPECT_EQ("signer-weak: its signer 'CN=Signer' has a certificate that is too weak: EE certificate key too weak",
              of(check(weak, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, SignerRevoked) {
    const char *text = "signer-revoked: the certificate of its signer 'CN=Leaf', or of its authority, has been revoked";
    const Identity authority = make_identity({.name = "Authority", .authority = true});
    const Identity signer = make_identity({.name = "Leaf"}, &authority);
    const Identity other = make_identity({.name = "Other"}, &authority);
    folder_.write("trust/authority.pem", pem(authority));
    folder_.write("trust/authority.crl", pem_list(authority, &signer));
    EXPECT_EQ(text, of(check(signer, good_manifest(), good_subject())));
    EXPECT_EQ("ok", of(check(other, good_manifest(), good_subject())));
    folder_.write("trust/authority.crl", pem_list(authority, nullptr));
    folder_.write("trust/revoked", "# comment\ncertificate " + fingerprint(signer.certificate.get()) + "\n");
    EXPECT_EQ(text, of(check(signer, good_manifest(), good_subject())));
}

// The holder of a revoked certificate can give it another digest: ECDSA takes two signatures for the same content.
TEST_F(TrustVerify, SignerRevokedWithAnotherDigest) {
    const char *text = "signer-revoked: the certificate of its signer 'CN=Leaf', or of its authority, has been revoked";
    const Identity authority = make_identity({.name = "Authority", .authority = true});
    const Identity signer = make_identity({.name = "Leaf"}, &authority), twin = with_other_signature(signer);
    const Identity other = make_identity({.name = "Other"}, &authority);
    ASSERT_NE(fingerprint(signer.certificate.get()), fingerprint(twin.certificate.get()));
    folder_.write("trust/authority.pem", pem(authority));
    EXPECT_EQ("ok", of(check(twin, good_manifest(), good_subject())));
    folder_.write("trust/revoked", "key " + key_fingerprint(signer.certificate.get()) + "\n");
    EXPECT_EQ(text, of(check(signer, good_manifest(), good_subject())));
    EXPECT_EQ(text, of(check(twin, good_manifest(), good_subject())));
    EXPECT_EQ("ok", of(check(other, good_manifest(), good_subject())));
    // The digest of the certificate is enough when the store has it.
    folder_.write("trust/zleaf.pem", pem(signer));
    folder_.write("trust/revoked", "certificate " + fingerprint(signer.certificate.get()) + "\n");
    EXPECT_EQ(text, of(check(twin, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, AllListsOfAFileCount) {
    const Identity one = make_identity({.name = "One", .authority = true}),
                   two = make_identity({.name = "Two", .authority = true});
    const Identity signer = make_identity({.name = "Leaf"}, &two);
    folder_.write("trust/authorities.pem", pem(one) + pem(two));
    folder_.write("trust/lists.crl", pem_list(one, nullptr));
    EXPECT_EQ("ok", of(check(signer, good_manifest(), good_subject())));
    folder_.write("trust/lists.crl", pem_list(one, nullptr) + pem_list(two, &signer));
    EXPECT_EQ("signer-revoked: the certificate of its signer 'CN=Leaf', or of its authority, has been revoked",
              of(check(signer, good_manifest(), good_subject())));
    folder_.write("trust/lists.crl", pem_list(one, nullptr) + pem_list(make_identity({.name = "Foreign"}), nullptr));
    EXPECT_EQ("store-damaged", tag_of(load()));
    const std::string list = pem_list(two, &signer);
    folder_.write("trust/lists.crl", pem_list(one, nullptr) + list.substr(0, list.size() / 2));
    EXPECT_EQ("store-damaged", tag_of(load()));
}

TEST_F(TrustVerify, RevocationListExpired) {
    const Identity authority = make_identity({.name = "Authority", .authority = true});
    const Identity signer = make_identity({.name = "Leaf"}, &authority);
    folder_.write("trust/authority.pem", pem(authority));
    folder_.write("trust/authority.crl", pem_list(authority, nullptr, kNow - 60));
    EXPECT_EQ(
        "revocation-list-expired: the revocation list of its signer's authority is out of date; the administrator has "
        "to "
        "renew it in /etc/tapir/trust",
        of(check(signer, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, DigestMismatch) {
    Subject subject = good_subject();
    subject.image = "the bytes of a modulE";
    EXPECT_EQ(
        "digest-mismatch: it is not the file that was signed (it was changed, or the signature is another module's)",
        of(check(signer_, good_manifest(), subject)));
}

TEST_F(TrustVerify, ModuleRevoked) {
    folder_.write("trust/revoked", "module " + sha256(kImage) + "\n");
    EXPECT_EQ("module-revoked: it has been revoked on this machine",
              of(check(signer_, good_manifest(), good_subject())));
}

TEST_F(TrustVerify, NameMismatch) {
    Subject subject = good_subject();
    subject.name = "stap_y";
    EXPECT_EQ("name-mismatch: it was signed as 'stap_x', but its name is 'stap_y'",
              of(check(signer_, good_manifest(), subject)));
}

TEST_F(TrustVerify, KernelMismatch) {
    Subject subject = good_subject();
    subject.release = "6.2.0";
    EXPECT_EQ("kernel-mismatch: it was signed for kernel 6.1.0-test, this machine runs 6.2.0",
              of(check(signer_, good_manifest(), subject)));
    subject = good_subject();
    subject.build = "#2 SMP";
    EXPECT_EQ(
        "kernel-mismatch: it was signed for kernel 6.1.0-test of build '#1 SMP', this machine runs build '#2 SMP'",
        of(check(signer_, good_manifest(), subject)));
}

TEST_F(TrustVerify, ArchitectureMismatch) {
    Subject subject = good_subject();
    subject.architecture = "aarch64";
    EXPECT_EQ("architecture-mismatch: it was signed for x86_64, this machine is aarch64",
              of(check(signer_, good_manifest(), subject)));
}

TEST_F(TrustVerify, AbiMismatch) {
    Subject subject = good_subject();
    subject.abi = 8;
    EXPECT_EQ("abi-mismatch: it was signed for module ABI 7, this staprun has 8",
              of(check(signer_, good_manifest(), subject)));
}

TEST_F(TrustVerify, NotYetValid) {
    EXPECT_EQ("not-yet-valid: its signature is valid only from 2027-01-14T08:00:00Z on (is the clock right?)",
              of(check(signer_, good_manifest(), good_subject(), kNow - kDay - 1)));
}

TEST_F(TrustVerify, Expired) {
    EXPECT_EQ("expired: its signature has expired at 2027-01-16T08:00:00Z; have it signed again",
              of(check(signer_, good_manifest(), good_subject(), kNow + kDay + 1)));
}

TEST_F(TrustVerify, SignatureTooLarge) {
    EXPECT_EQ("signature-too-large: its signature is larger than 65536 bytes",
              of(check_signature(std::string(65537, '0'), good_subject())));
}

TEST_F(TrustVerify, SignatureDamaged) {
    const Outcome<std::string> made = sign(good_manifest(), signer_of(signer_));
    ASSERT_EQ("", said(made));
    const std::string &signature = *made;
    EXPECT_EQ("signature-damaged: its signature is damaged: not a CMS message",
              of(check_signature("", good_subject())));
    EXPECT_EQ("signature-damaged: its signature is damaged: not a CMS message",
              of(check_signature(signature.substr(0, signature.size() - 1), good_subject())));
    EXPECT_EQ("signature-damaged: its signature is damaged: something follows the CMS message",
              of(check_signature(signature + "x", good_subject())));
}

// No byte of a signature can be changed: what is not covered by a signature is not looked at, or damages it.
TEST_F(TrustVerify, SignatureWrong) {
    const Outcome<std::string> made = sign(good_manifest(), signer_of(signer_));
    ASSERT_EQ("", said(made));
    const std::string &signature = *made;
    const size_t at = signature.find("audience: stapsys");
    ASSERT_NE(std::string::npos, at);
    std::string changed = signature;
    changed.replace(at, 17, "audience: stapusr");
    EXPECT_EQ(
        "signature-wrong: its signature is not what its signer 'CN=Signer' would have made: the manifest or the "
        "signature was "
        "changed",
        of(check_signature(changed, good_subject())));
    ASSERT_EQ("", said(load()));
    for (size_t i = 0; i < signature.size(); i += 3) {
        changed = signature;
        changed[i] = static_cast<char>(changed[i] ^ 0x41);
        const Verdict verdict = verify(changed, good_subject(), store_, kNow);
        if (!verdict.outcome) continue;
        EXPECT_EQ(print(verify(signature, good_subject(), store_, kNow).manifest), print(verdict.manifest)) << i;
        EXPECT_EQ(fingerprint(signer_.certificate.get()), verdict.fingerprint) << i;
    }
}

// The message itself is what OpenSSL makes of any content.
std::string sign_text(const std::string &text, const Identity &signer, const EVP_MD *digest) {
    Bio content = reader(text);
    const unsigned flags = CMS_BINARY | CMS_PARTIAL | CMS_NOSMIMECAP;
    Message message(CMS_sign(nullptr, nullptr, nullptr, nullptr, flags));
    CMS_add1_signer(message.get(), signer.certificate.get(), signer.key.get(), digest, flags);
    CMS_final(message.get(), content.get(), nullptr, flags);
    Bio out(BIO_new(BIO_s_mem()));
    i2d_CMS_bio(out.get(), message.get());
    return contents(out.get());
}

TEST_F(TrustVerify, SignatureWeak) {
    EXPECT_EQ("signature-weak: its signature uses a digest that is not accepted (SHA-256, SHA-384 and SHA-512 are)",
              of(check_signature(sign_text(print(good_manifest()), signer_, EVP_sha1()), good_subject())));
}

TEST_F(TrustVerify, VersionUnknown) {
    std::string text = print(good_manifest());
    text.replace(text.find(" 1\n"), 3, " 2\n");
    EXPECT_EQ("version-unknown: its manifest has version '2', this program knows version 1",
              of(check_signature(sign_text(text, signer_, EVP_sha256()), good_subject())));
}

TEST_F(TrustVerify, ManifestDamaged) {
    const std::string good = print(good_manifest());
    const auto check_text = [&](const std::string &text) {
        return of(check_signature(sign_text(text, signer_, EVP_sha256()), good_subject()));
    };
    EXPECT_EQ("ok", check_text(good));
    EXPECT_EQ("manifest-damaged: what was signed is not a manifest of a module", check_text("hello\n"));
    EXPECT_EQ("manifest-damaged: its manifest has more lines than it should have", check_text(good + "more: 1\n"));
    const auto replaced = [&good](const std::string &from, const std::string &to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ("manifest-damaged: its manifest has no proper line 'audience'", check_text(replaced("stapsys", "root")));
    EXPECT_EQ("manifest-damaged: its manifest has no proper line 'name'",
              check_text(replaced("name: stap_x", "name: ")));
    EXPECT_EQ("manifest-damaged: its manifest has no proper line 'abi'", check_text(replaced("abi: 7", "abi: 07")));
    EXPECT_EQ("manifest-damaged: its manifest has no proper line 'not-after'",
              check_text(replaced("2027-01-16T", "2027-02-31T")));
    EXPECT_EQ("manifest-damaged: its manifest has no proper line 'requester'",
              check_text(replaced("somebody", "some\rbody")));
}

TEST_F(TrustVerify, StoreMissing) {
    EXPECT_EQ(
        "there is no trust store '/nowhere/trust'; the administrator makes one with 'stap-sign --trust=CERTIFICATE'",
        said(store_.load("/nowhere/trust", {})));
    EXPECT_EQ("store-missing", tag_of(store_.load("/nowhere/trust", {})));
}

TEST_F(TrustVerify, StoreUnsafe) {
    const std::string path = folder_.path() + "/trust";
    chmod(path.c_str(), 0777);
    EXPECT_EQ("store-unsafe: the trust store cannot be used: '" + path +
                  "' can be written by others than its owner (mode 0777)",
              tagged(load()));
    chmod(path.c_str(), 0755);
    chmod((path + "/signer.pem").c_str(), 0664);
    EXPECT_EQ(
        "the trust store cannot be used: '" + path + "/signer.pem' can be written by others than its owner (mode 0664)",
        said(load()));
    chmod((path + "/signer.pem").c_str(), 0644);
    EXPECT_EQ("", said(load()));
    EXPECT_EQ("store-unsafe", tag_of(store_.load(path, {getuid() + 1, folder_.path()})));
}

TEST_F(TrustVerify, StoreDamaged) {
    folder_.write("trust/bad.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    EXPECT_EQ(
        "the trust store's file '" + folder_.path() + "/trust/bad.pem' has no certificates in PEM, or a damaged one",
        said(load()));
    EXPECT_EQ("store-damaged", tag_of(load()));
    std::filesystem::remove(folder_.path() + "/trust/bad.pem");
    folder_.write("trust/revoked", "module 123\n");
    EXPECT_EQ("store-damaged", tag_of(load()));
    folder_.write("trust/revoked", "keys " + sha256("") + "\n");
    EXPECT_EQ("the trust store's file '" + folder_.path() +
                  "/trust/revoked' has a line that is none of 'certificate SHA256', 'key SHA256' and 'module SHA256'",
              said(load()));
    std::filesystem::remove(folder_.path() + "/trust/revoked");
    folder_.write("trust/foreign.crl", pem_list(make_identity({.name = "Foreign", .authority = true}), nullptr));
    EXPECT_EQ("the trust store's file '" + folder_.path() +
                  "/trust/foreign.crl' has a revocation list that no authority of the store has signed",
              said(load()));
    folder_.write("trust/foreign.crl", "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n");
    EXPECT_EQ("the trust store's file '" + folder_.path() +
                  "/trust/foreign.crl' has no revocation lists in PEM, or a damaged one",
              said(load()));
}

TEST_F(TrustVerify, StoreEmpty) {
    std::filesystem::remove(folder_.path() + "/trust/signer.pem");
    EXPECT_EQ("store-empty: the trust store '" + folder_.path() +
                  "/trust' has no certificate; the administrator adds one with 'stap-sign --trust=CERTIFICATE'",
              tagged(load()));
}

TEST(TrustFault, EachIsDocumented) {
    std::ifstream in(tapir::source_dir() + "/docs/signatures.md");
    const std::string page(std::istreambuf_iterator<char>(in), {});
    for (const char *known : {
#define TAPIR_TAG(name, word) word,
#include "common/tags/trust.def"
#undef TAPIR_TAG
         })
        EXPECT_NE(std::string::npos, page.find("`" + std::string(known) + "`")) << known << " is not documented";
}

TEST(TrustProtectedPath, LinksAreResolvedBeforeAnythingIsBelieved) {
    const Folder folder;
    folder.write("real/file", "x");
    chmod((folder.path() + "/real").c_str(), 0755);
    folder.write("open/keep", "x");
    chmod((folder.path() + "/open").c_str(), 0777);
    std::filesystem::create_symlink(folder.path() + "/real/file", folder.path() + "/open/link");
    std::filesystem::create_symlink("../open/keep", folder.path() + "/real/out");
    const auto open_file = [&folder](const std::string &name) {
        return open_protected(folder.path() + name, Kind::File, folder.protection());
    };
    const Outcome<int> fd = open_file("/open/link");
    ASSERT_EQ("", said(fd));  // what it names is protected, and is what was opened
    close(*fd);
    EXPECT_EQ("'" + folder.path() + "/open' can be written by others than its owner (mode 0777)",
              said(open_file("/real/out")));
    EXPECT_FALSE(open_file("/real/../../../etc/passwd"));
    EXPECT_EQ("'" + folder.path() + "/real' is not a regular file", said(open_file("/real")));
    mkfifo((folder.path() + "/real/pipe").c_str(), 0600);
    EXPECT_EQ("'" + folder.path() + "/real/pipe' is not a regular file", said(open_file("/real/pipe")));
}

TEST(TrustProtectedPath, PathUnsafe) {
    const Folder folder;
    folder.write("file", "x");
    EXPECT_EQ("path-unsafe: '" + folder.path() + "/file' is not a directory",
              tagged(open_protected(folder.path() + "/file", Kind::Directory, folder.protection())));
}

TEST(TrustProtectedPath, PathMissing) {
    EXPECT_EQ("path-missing: '/nowhere/file': No such file or directory",
              tagged(open_protected("/nowhere/file", Kind::File, {})));
}

}  // namespace
}  // namespace tapir::trust
