// SPDX-License-Identifier: GPL-2.0-or-later
#include "openssl.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/sha.h>

#include <climits>

namespace tapir::trust {

void initialise_unconfigured() {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, nullptr);
}

Bio reader(std::string_view data) {
    return Bio(BIO_new_mem_buf(data.data(), data.size() > INT_MAX ? INT_MAX : static_cast<int>(data.size())));
}

std::string contents(BIO *memory) {
    char *data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    return size > 0 ? std::string(data, static_cast<size_t>(size)) : std::string();
}

std::string last_error() {
    const unsigned long code = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(code);
    ERR_clear_error();
    return reason ? reason : "unknown reason";
}

std::string hex(const unsigned char *bytes, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; i++) {
        out += "0123456789abcdef"[bytes[i] >> 4];
        out += "0123456789abcdef"[bytes[i] & 15];
    }
    return out;
}

std::string sha256(std::string_view data) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256(reinterpret_cast<const unsigned char *>(data.data()), data.size(), digest);
    return hex(digest, sizeof digest);
}

std::string fingerprint(const X509 *certificate) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    return X509_digest(certificate, EVP_sha256(), digest, &size) == 1 ? hex(digest, size) : "";
}

std::string key_fingerprint(const X509 *certificate) {
    unsigned char *der = nullptr;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    if (size <= 0) return {};
    const std::string out = sha256({reinterpret_cast<const char *>(der), static_cast<size_t>(size)});
    OPENSSL_free(der);
    return out;
}

std::string subject(const X509 *certificate) {
    Bio out(BIO_new(BIO_s_mem()));
    // RFC 2253 escapes everything that is not printable ASCII.
    if (!out || X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0) return {};
    return contents(out.get());
}

}  // namespace tapir::trust
