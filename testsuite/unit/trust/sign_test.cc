// SPDX-License-Identifier: GPL-2.0-or-later
// A loader of keys that is no provider of its own is registered in a way that OpenSSL 3.0 calls deprecated.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "trust/sign.h"

#include <gtest/gtest.h>
#include <openssl/store.h>
#include <openssl/ui.h>

#include "../said.h"
#include "authority.h"
#include "common/files.h"

namespace tapir::trust {
namespace {

TEST(TrustSign, SignerUnusable) {
    const Folder folder;
    const Identity one = make_identity(), two = make_identity();
    const std::string key = folder.write("key.pem", pem_key(one), 0600);
    const std::string certificate = folder.write("certificate.pem", pem(one) + pem(two));
    const Outcome<Signer> signer = load_signer({key, certificate, ""});
    ASSERT_EQ("", said(signer));
    EXPECT_EQ(1u, signer->chain.size());
    const std::string other = folder.write("other.pem", pem(two));
    EXPECT_EQ("the key '" + key + "' is not that of the certificate '" + other + "'",
              said(load_signer({key, other, ""})));
    EXPECT_EQ("Couldn't read '/nowhere': No such file or directory", said(load_signer({key, "/nowhere", ""})));
    chmod(key.c_str(), 0644);
    EXPECT_EQ("Couldn't read '" + key + "': others can read it; 'chmod 600' first",
              said(load_signer({key, certificate, ""})));
    const std::string no_key = folder.write("no_key.pem", "hello", 0600);
    EXPECT_EQ("'" + no_key + "' is not a private key in PEM, or has a passphrase",
              said(load_signer({no_key, certificate, ""})));
    EXPECT_EQ("'" + key + "' has no certificates, in PEM or DER", said(load_signer({key, key, ""})));
}

TEST(TrustSign, KeyWithPassphrase) {
    const Folder folder;
    const Identity one = make_identity();
    Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PKCS8PrivateKey(bio.get(), one.key.get(), EVP_aes_256_cbc(), "secret", 6, nullptr, nullptr);
    const std::string key = folder.write("key.pem", contents(bio.get()), 0600);
    const std::string certificate = folder.write("certificate.pem", pem(one));
    EXPECT_EQ("'" + key + "' is not a private key in PEM, or has a passphrase",
              said(load_signer({key, certificate, ""})));
    EXPECT_EQ("", said(load_signer({key, certificate, folder.write("right", "secret\n", 0600)})));
    EXPECT_EQ("'" + key + "' is not a private key in PEM, or its passphrase is another one",
              said(load_signer({key, certificate, folder.write("wrong", "guess\n", 0600)})));
}

// A token with one key, for callers who know its PIN.
struct Token {
    static inline EVP_PKEY *key = nullptr;
    static inline unsigned asked = 0;
    bool unlocked = false, given = false;

    static OSSL_STORE_LOADER_CTX *open(const OSSL_STORE_LOADER *, const char *, const UI_METHOD *method, void *data) {
        auto *token = new Token;
        UI *ui = method ? UI_new_method(method) : nullptr;
        if (ui) {
            char pin[16] = "";
            UI_add_user_data(ui, data);
            UI_add_input_string(ui, "PIN: ", 0, pin, 0, sizeof pin - 1);
            asked++;
            token->unlocked = UI_process(ui) == 0 && std::string(pin) == "1234";
            UI_free(ui);
        }
        return reinterpret_cast<OSSL_STORE_LOADER_CTX *>(token);
    }
    static Token &of(OSSL_STORE_LOADER_CTX *context) { return *reinterpret_cast<Token *>(context); }
    static OSSL_STORE_INFO *load(OSSL_STORE_LOADER_CTX *context, const UI_METHOD *, void *) {
        of(context).given = true;
        if (!of(context).unlocked) return nullptr;
        EVP_PKEY_up_ref(key);
        return OSSL_STORE_INFO_new_PKEY(key);
    }
    static int eof(OSSL_STORE_LOADER_CTX *context) { return of(context).given; }
    static int error(OSSL_STORE_LOADER_CTX *) { return 0; }
    static int close(OSSL_STORE_LOADER_CTX *context) {
        delete &of(context);
        return 1;
    }
};

TEST(TrustSign, KeyInATokenWithAPin) {
    const Folder folder;
    const Identity one = make_identity();
    Token::key = one.key.get();
    OSSL_STORE_LOADER *loader = OSSL_STORE_LOADER_new(nullptr, "pkcs11");
    OSSL_STORE_LOADER_set_open(loader, Token::open);
    OSSL_STORE_LOADER_set_load(loader, Token::load);
    OSSL_STORE_LOADER_set_eof(loader, Token::eof);
    OSSL_STORE_LOADER_set_error(loader, Token::error);
    OSSL_STORE_LOADER_set_close(loader, Token::close);
    ASSERT_EQ(1, OSSL_STORE_register_loader(loader));
    const std::string certificate = folder.write("certificate.pem", pem(one));
    EXPECT_EQ("", said(load_signer({"pkcs11:object=x", certificate, folder.write("pin", "1234\n", 0600)})));
    EXPECT_EQ(1u, Token::asked);
    const auto refused = [&](const std::string &pin) {
        return said(load_signer({"pkcs11:object=x", certificate, pin})).find("Couldn't use the key 'pkcs11:object=x'");
    };
    EXPECT_EQ(0u, refused(folder.write("wrong", "4321\n", 0600)));
    EXPECT_EQ(2u, Token::asked);
    EXPECT_EQ(0u, refused(""));  // without a question, and without a counted attempt
    EXPECT_EQ(2u, Token::asked);
    const std::string open = folder.write("open", "1234\n", 0644);
    EXPECT_EQ("Couldn't read '" + open + "': others can read it; 'chmod 600' first",
              said(load_signer({"pkcs11:object=x", certificate, open})));
    OSSL_STORE_LOADER_free(OSSL_STORE_unregister_loader("pkcs11"));
}

TEST(TrustSign, KernelSignatureHasTheKernelsForm) {
    const Identity identity = make_identity({.bits = 2048});
    const std::string image = "an image of a module";
    const Outcome<std::string> made = sign_for_kernel(image, signer_of(identity), "sha256");
    ASSERT_EQ("", said(made));
    const std::string &out = *made;
    EXPECT_TRUE(has_kernel_signature(out));
    const std::string mark = "~Module signature appended~\n";
    ASSERT_GT(out.size(), image.size() + 12 + mark.size());
    EXPECT_EQ(image, out.substr(0, image.size()));
    const auto *header = reinterpret_cast<const unsigned char *>(out.data()) + out.size() - mark.size() - 12;
    const size_t size = static_cast<size_t>(header[8]) << 24 | static_cast<size_t>(header[9]) << 16 |
                        static_cast<size_t>(header[10]) << 8 | header[11];
    EXPECT_EQ(2, header[2]);
    ASSERT_EQ(out.size(), image.size() + size + 12 + mark.size());
    const unsigned char *at = reinterpret_cast<const unsigned char *>(out.data()) + image.size();
    Message message(d2i_CMS_ContentInfo(nullptr, &at, static_cast<long>(size)));
    ASSERT_TRUE(message);
    EXPECT_EQ(1, CMS_is_detached(message.get()));
    Bio content = reader(image);
    Certificates signers(sk_X509_new_null());
    X509_up_ref(identity.certificate.get());
    sk_X509_push(signers.get(), identity.certificate.get());
    EXPECT_EQ(1, CMS_verify(message.get(), signers.get(), nullptr, content.get(), nullptr,
                            CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY));
}

TEST(TrustSign, SigningFailed) {
    const Signer signer = signer_of(make_identity());
    const std::string image = "an image of a module";
    const Outcome<std::string> made = sign_for_kernel(image, signer, "sha256");
    ASSERT_EQ("", said(made));
    EXPECT_EQ("signing-failed: it has a signature for the kernel already",
              tagged(sign_for_kernel(*made, signer, "sha256")));
    EXPECT_EQ("signing-failed: 'md5' is not one of sha256, sha384, sha512",
              tagged(sign_for_kernel(image, signer, "md5")));
    Manifest nameless;
    nameless.sha256 = sha256(image);
    EXPECT_EQ("signing-failed: Couldn't sign '': its manifest has no proper line 'name'",
              tagged(sign(nameless, signer)));
}

// RSA signatures without attributes are the same each time, so the kernel's own tool has to make the very same file.
TEST(TrustSign, KernelSignatureIsThatOfTheKernelsTool) {
    std::string tool;
    for (const auto &entry : std::filesystem::directory_iterator("/usr/lib")) {
        const std::string path = entry.path().string() + "/scripts/sign-file";
        if (entry.path().filename().string().rfind("linux-kbuild-", 0) == 0 && access(path.c_str(), X_OK) == 0)
            tool = path;
    }
    if (tool.empty()) GTEST_SKIP() << "no kernel headers with sign-file are installed";
    const Folder folder;
    const Identity identity = make_identity({.bits = 2048});
    const std::string module = folder.write("m.ko", "an image of a module");
    const std::string key = folder.write("key.pem", pem_key(identity), 0600);
    const std::string certificate = folder.write("certificate.pem", pem(identity));
    for (const char *digest : {"sha256", "sha512"}) {
        const std::string command =
            tool + " " + digest + " " + key + " " + certificate + " " + module + " " + folder.path() + "/signed.ko";
        ASSERT_EQ(0, system(command.c_str()));
        const Outcome<std::string> out = sign_for_kernel(*read_file(module), signer_of(identity), digest);
        ASSERT_EQ("", said(out));
        EXPECT_EQ(*read_file(folder.path() + "/signed.ko"), *out) << digest;
    }
}

TEST(TrustManifest, WhatCannotStandInALineIsReplaced) {
    EXPECT_EQ("a?b?", printable("a\nb\xc3"));
    EXPECT_EQ(512u, printable(std::string(600, 'x')).size());
}

}  // namespace
}  // namespace tapir::trust
