// SPDX-License-Identifier: GPL-2.0-or-later
#include "sign.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/store.h>
#include <openssl/ui.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/files.h"
#include "store.h"

namespace tapir::trust {

namespace {

constexpr size_t kMaxKeyFile = 1 << 20;
constexpr std::string_view kKernelMark = "~Module signature appended~\n";

Outcome<std::string> read_text(const std::string &path, bool secret) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const auto failed = [&](const std::string &why, const char *hint = "") {
        if (fd >= 0) close(fd);
        return Fault{FaultTag::SignerUnusable, "Couldn't read '" + path + "': " + why, hint};
    };
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0) return failed(strerror(errno));
    if (!S_ISREG(info.st_mode)) return failed("not a regular file");
    if (secret && (info.st_mode & (S_IRWXG | S_IRWXO))) return failed("others can read it", "'chmod 600' first");
    std::string out;
    if (const int error = read_descriptor(fd, kMaxKeyFile, out)) return failed(strerror(error));
    close(fd);
    return out;
}

int give_passphrase(char *buffer, int size, int, void *text) {
    const auto &passphrase = *static_cast<const std::string *>(text);
    const size_t room = static_cast<size_t>(size);
    if (passphrase.empty() || passphrase.size() > room) return 0;
    memcpy(buffer, passphrase.data(), passphrase.size());
    return static_cast<int>(passphrase.size());
}

// Without a passphrase the token is not asked with one: it may count wrong ones.
Outcome<Key> load_token_key(const std::string &uri, std::string passphrase) {
    Key out;
    const std::unique_ptr<UI_METHOD, Free<UI_destroy_method>> asked(
        passphrase.empty() ? nullptr : UI_UTIL_wrap_read_pem_callback(give_passphrase, 0));
    std::unique_ptr<OSSL_STORE_CTX, Free<OSSL_STORE_close>> store(
        OSSL_STORE_open(uri.c_str(), asked.get(), &passphrase, nullptr, nullptr));
    if (store && OSSL_STORE_expect(store.get(), OSSL_STORE_INFO_PKEY) == 1) {
        while (!out && !OSSL_STORE_eof(store.get())) {
            std::unique_ptr<OSSL_STORE_INFO, Free<OSSL_STORE_INFO_free>> info(OSSL_STORE_load(store.get()));
            if (!info) break;
            if (OSSL_STORE_INFO_get_type(info.get()) == OSSL_STORE_INFO_PKEY)
                out.reset(OSSL_STORE_INFO_get1_PKEY(info.get()));
        }
    }
    if (out) return out;
    return Fault{FaultTag::SignerUnusable, "Couldn't use the key '" + uri + "': " + last_error(),
                 "OpenSSL's configuration has to name a provider for PKCS#11"};
}

Outcome<Key> load_key(const SignerFiles &files) {
    const bool in_token = files.key.compare(0, 7, "pkcs11:") == 0;
    const Outcome<std::string> text = in_token ? std::string() : read_text(files.key, true);
    if (!text) return text.fault();
    Outcome<std::string> passphrase =
        files.passphrase_file.empty() ? std::string() : read_text(files.passphrase_file, true);
    if (!passphrase) return passphrase.fault();
    passphrase->resize(std::min(passphrase->find('\n'), passphrase->size()));
    if (in_token) return load_token_key(files.key, *passphrase);
    Bio bio = reader(*text);
    Key out(PEM_read_bio_PrivateKey(bio.get(), nullptr, give_passphrase, &*passphrase));
    if (out) return out;
    ERR_clear_error();
    return Fault{FaultTag::SignerUnusable,
                 "'" + files.key + "' is not a private key in PEM" +
                     (passphrase->empty() ? ", or has a passphrase" : ", or its passphrase is another one")};
}

const EVP_MD *find_digest(const std::string &name) {
    if (name == "sha256") return EVP_sha256();
    if (name == "sha384") return EVP_sha384();
    return name == "sha512" ? EVP_sha512() : nullptr;
}

bool to_der(CMS_ContentInfo *message, std::string &out) {
    Bio bio(BIO_new(BIO_s_mem()));
    if (!bio || i2d_CMS_bio(bio.get(), message) != 1) return false;
    out = contents(bio.get());
    return true;
}

}  // namespace

Outcome<std::vector<Certificate>> load_certificates(const std::string &path) {
    const Outcome<std::string> text = read_text(path, false);
    if (!text) return text.fault();
    std::vector<Certificate> out;
    if (read_certificates(*text, out)) return out;
    out.clear();
    Bio bio = reader(*text);
    if (Certificate one{d2i_X509_bio(bio.get(), nullptr)}) {
        out.push_back(std::move(one));
        return out;
    }
    ERR_clear_error();
    return Fault{FaultTag::SignerUnusable, "'" + path + "' has no certificates, in PEM or DER"};
}

Outcome<Signer> load_signer(const SignerFiles &files) {
    const auto unusable = [](const std::string &why) { return Fault{FaultTag::SignerUnusable, why}; };
    Outcome<std::vector<Certificate>> certificates = load_certificates(files.certificate);
    if (!certificates) return certificates.fault();
    Signer out;
    out.certificate = std::move(certificates->front());
    for (size_t i = 1; i < certificates->size(); i++)
        out.chain.push_back(std::move((*certificates)[i]));
    Outcome<Key> key = load_key(files);
    if (!key) return key.fault();
    out.key = std::move(*key);
    const int type = EVP_PKEY_get_base_id(out.key.get());
    if (type != EVP_PKEY_RSA && type != EVP_PKEY_RSA_PSS && type != EVP_PKEY_EC)
        return unusable("the key '" + files.key + "' is neither RSA nor ECDSA");
    if (X509_check_private_key(out.certificate.get(), out.key.get()) != 1) {
        ERR_clear_error();
        return unusable("the key '" + files.key + "' is not that of the certificate '" + files.certificate + "'");
    }
    return out;
}

Outcome<std::string> sign(const Manifest &manifest, const Signer &signer) {
    const auto failed = [&manifest](const std::string &why) {
        return Fault{FaultTag::SigningFailed, "Couldn't sign '" + manifest.name + "': " + why};
    };
    const std::string text = print(manifest);
    const Outcome<Manifest> again = parse(text);
    if (!again) return failed(again.fault().text);
    Bio content = reader(text);
    const unsigned flags = CMS_BINARY | CMS_PARTIAL | CMS_NOSMIMECAP;
    Message message(CMS_sign(nullptr, nullptr, nullptr, nullptr, flags));
    bool good =
        message && CMS_add1_signer(message.get(), signer.certificate.get(), signer.key.get(), EVP_sha256(), flags);
    for (const Certificate &certificate : signer.chain)
        good = good && CMS_add1_cert(message.get(), certificate.get()) == 1;
    std::string signature;
    good = good && CMS_final(message.get(), content.get(), nullptr, flags) == 1 && to_der(message.get(), signature);
    if (!good) return failed(last_error());
    return signature;
}

std::string random_id() {
    unsigned char bytes[16];
    return RAND_bytes(bytes, sizeof bytes) == 1 ? hex(bytes, sizeof bytes) : "";
}

bool has_kernel_signature(std::string_view image) {
    return image.size() >= kKernelMark.size() && image.substr(image.size() - kKernelMark.size()) == kKernelMark;
}

Outcome<size_t> kernel_signature_size(std::string_view image) {
    constexpr size_t kHeader = 12;  // struct module_signature, its last four bytes the message's size, big-endian
    const size_t ends = kHeader + kKernelMark.size();
    if (has_kernel_signature(image) && image.size() >= ends) {
        size_t size = 0;
        for (const char byte : image.substr(image.size() - kKernelMark.size() - 4, 4))
            size = size << 8 | static_cast<unsigned char>(byte);
        if (size <= image.size() - ends) return size + ends;
    }
    return Fault{FaultTag::SigningFailed, "the kernel's signature at its end is damaged"};
}

Outcome<std::string> sign_for_kernel(std::string_view image, const Signer &signer, const std::string &digest) {
    const auto failed = [](const std::string &why) { return Fault{FaultTag::SigningFailed, why}; };
    const EVP_MD *method = find_digest(digest);
    if (!method) return failed("'" + digest + "' is not one of sha256, sha384, sha512");
    if (has_kernel_signature(image)) return failed("it has a signature for the kernel already");
    Bio content = reader(image);
    const unsigned flags = CMS_NOCERTS | CMS_PARTIAL | CMS_BINARY | CMS_DETACHED | CMS_STREAM;
    // Kernels take signatures over the file itself, without attributes.
    const unsigned how = CMS_NOCERTS | CMS_BINARY | CMS_NOSMIMECAP | CMS_NOATTR;
    Message message(CMS_sign(nullptr, nullptr, nullptr, nullptr, flags));
    std::string der;
    const bool good =
        message && CMS_add1_signer(message.get(), signer.certificate.get(), signer.key.get(), method, how) &&
        CMS_final(message.get(), content.get(), nullptr, CMS_NOCERTS | CMS_BINARY) == 1 && to_der(message.get(), der);
    if (!good) return failed("Couldn't sign for the kernel: " + last_error());
    // struct module_signature: algorithm, hash, type of key (2 = PKCS#7), lengths of signer and key id, 3 bytes of
    // padding, and the signature's length, big-endian. With PKCS#7 all but type and length are 0.
    const size_t size = der.size();
    const unsigned char header[] = {0,
                                    0,
                                    2,
                                    0,
                                    0,
                                    0,
                                    0,
                                    0,
                                    static_cast<unsigned char>(size >> 24),
                                    static_cast<unsigned char>(size >> 16),
                                    static_cast<unsigned char>(size >> 8),
                                    static_cast<unsigned char>(size)};
    std::string out(image);
    out += der;
    out.append(reinterpret_cast<const char *>(header), sizeof header);
    out += kKernelMark;
    return out;
}

}  // namespace tapir::trust
