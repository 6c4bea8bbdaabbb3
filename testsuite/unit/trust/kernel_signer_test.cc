// SPDX-License-Identifier: GPL-2.0-or-later
#include "trust/kernel_signer.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "../said.h"
#include "authority.h"

namespace tapir::trust {
namespace {

std::string der(const Identity &identity) {
    unsigned char *bytes = nullptr;
    const int size = i2d_X509(identity.certificate.get(), &bytes);
    std::string out(reinterpret_cast<char *>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
    return out;
}

std::string output_of(const std::string &command) {
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    std::string out;
    char buffer[4096];
    while (const size_t got = fread(buffer, 1, sizeof buffer, pipe))
        out.append(buffer, got);
    pclose(pipe);
    return out;
}

std::string signed_by(const KernelSignerFiles &files, const std::string &digest, const std::string &image = "module") {
    const Outcome<std::shared_ptr<KernelSigner>> signer = KernelSigner::load(files);
    if (!signer) return said(signer);
    const Outcome<std::string> made = (*signer)->sign(image, digest);
    return made ? *made : said(made);
}

TEST(KernelSigner, FindsTheCertificateBesideTheKey) {
    const Folder folder;
    const Identity one = make_identity({.bits = 2048});
    const std::string key = folder.write("mok.key", pem_key(one), 0600);
    const std::string stem = folder.path() + "/mok";
    EXPECT_EQ("no certificate was found for the key '" + key + "': neither in its file nor in '" + stem +
                  "' with one of the endings .pem, .crt, .cer, .der, .x509, .pub; --sign-certificate=FILE names it",
              said(KernelSigner::load({key, "", ""})));
    const std::string beside = folder.write("mok.pub", der(one));
    EXPECT_EQ(beside, *certificate_beside(key));
    Outcome<std::shared_ptr<KernelSigner>> signer = KernelSigner::load({key, "", ""});
    ASSERT_EQ("", said(signer));
    EXPECT_EQ(fingerprint(one.certificate.get()), (*signer)->identity());
    EXPECT_EQ("", said((*signer)->sign("module", "sha256")));
    const std::string both = folder.write("both.pem", pem_key(one) + pem(one), 0600);
    EXPECT_EQ(both, *certificate_beside(both));
    EXPECT_TRUE(has_kernel_signature(signed_by({both, "", ""}, "sha512")));
    EXPECT_EQ("there is no key '/nowhere.key'", said(KernelSigner::load({"/nowhere.key", "", ""})));
    EXPECT_EQ("the key is in a token, and nothing names its certificate; --sign-certificate=FILE does",
              said(KernelSigner::load({"pkcs11:token=a", "", ""})));
}

TEST(KernelSigner, NeedsTheKeyForSigningOnly) {
    const Folder folder;
    const Identity one = make_identity({.bits = 2048});
    const std::string key = folder.write("a.key", pem_key(one), 0644), certificate = folder.write("a.pem", pem(one));
    const Outcome<std::shared_ptr<KernelSigner>> signer = KernelSigner::load({key, "", ""});
    ASSERT_EQ("", said(signer));
    EXPECT_EQ("Couldn't read '" + key + "': others can read it; 'chmod 600' first",
              said((*signer)->sign("module", "sha256")));
}

TEST(KernelSigner, SignatureComesOffAgain) {
    const Folder folder;
    const Identity one = make_identity({.bits = 2048});
    const std::string key = folder.write("a.pem", pem_key(one) + pem(one), 0600);
    const std::string module = "a module's bytes";
    const std::string made = signed_by({key, "", ""}, "sha256", module);
    EXPECT_TRUE(has_kernel_signature(made));
    EXPECT_EQ(module, *without_kernel_signature(made));
    EXPECT_EQ(module, *without_kernel_signature(module));
    const std::string mark = "~Module signature appended~\n";
    for (const std::string &damaged : {mark, "short" + mark, std::string(12, '\xff') + mark})
        EXPECT_EQ("the kernel's signature at its end is damaged", said(without_kernel_signature(damaged)));
}

// As openssl(1) shows what the kernel makes the descriptions of its keys from.
TEST(KernelSigner, NamesKeysAsTheKernelDoes) {
    const Folder folder;
    const std::string make =
        "cd " + folder.path() +
        " && openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -days 9 -subj /CN=x -out c.pem ";
    const std::string plain = " | tr -d ':\\n' | tr A-F a-f";
    for (const char *how : {"-set_serial 0x8a01 -addext subjectKeyIdentifier=none",
                            "-set_serial 0x7a01 -addext "
                            "subjectKeyIdentifier=none"}) {
        output_of(make + how);
        const Outcome<std::vector<Certificate>> made = load_certificates(folder.path() + "/c.pem");
        ASSERT_EQ("", said(made));
        // The encoded number, which has a byte of zeros before a first bit that is set.
        const std::string encoded =
            output_of("openssl x509 -in " + folder.path() + "/c.pem -outform DER | od -An -v -tx1 | tr -d ' \\n'");
        EXPECT_NE(std::string::npos,
                  encoded.find("020" + std::to_string(kernel_key_id(made->front().get()).size() / 2) +
                               kernel_key_id(made->front().get())))
            << encoded;
    }
    output_of(make);
    const Outcome<std::vector<Certificate>> made = load_certificates(folder.path() + "/c.pem");
    ASSERT_EQ("", said(made));
    EXPECT_EQ(output_of("openssl x509 -in " + folder.path() +
                        "/c.pem -noout -ext subjectKeyIdentifier | tail -n 1 | tr -d ' '" + plain),
              kernel_key_id(made->front().get()));
}

TEST(KernelSigner, UsualKeys) {
    const Folder folder;
    EXPECT_TRUE(usual_kernel_keys(folder.path()).empty());
    std::filesystem::create_directories(folder.path() + "/var/lib/dkms");
    folder.write("var/lib/dkms/mok.key", "", 0600);
    EXPECT_TRUE(usual_kernel_keys(folder.path()).empty());
    folder.write("var/lib/dkms/mok.pub", "");
    ASSERT_EQ(1u, usual_kernel_keys(folder.path()).size());
    EXPECT_EQ(folder.path() + "/var/lib/dkms/mok.pub", usual_kernel_keys(folder.path())[0].certificate);
}

}  // namespace
}  // namespace tapir::trust
