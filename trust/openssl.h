// SPDX-License-Identifier: GPL-2.0-or-later
// Ownership of OpenSSL's objects.
#pragma once

#include <openssl/bio.h>
#include <openssl/cms.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <memory>
#include <string>
#include <string_view>

namespace tapir::trust {

template <auto function>
struct Free {
    template <typename T>
    void operator()(T *object) const {
        function(object);
    }
};

inline void free_certificates(STACK_OF(X509) * stack) {
    sk_X509_pop_free(stack, X509_free);
}

using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Certificates = std::unique_ptr<STACK_OF(X509), Free<free_certificates>>;
using RevocationList = std::unique_ptr<X509_CRL, Free<X509_CRL_free>>;
using CertificateStore = std::unique_ptr<X509_STORE, Free<X509_STORE_free>>;
using StoreContext = std::unique_ptr<X509_STORE_CTX, Free<X509_STORE_CTX_free>>;
using Message = std::unique_ptr<CMS_ContentInfo, Free<CMS_ContentInfo_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

// Before anything else of OpenSSL in a program that must not be influenced: its configuration is never read.
void initialise_unconfigured();

// Reads `data` without copying it; `data` has to live longer.
Bio reader(std::string_view data);
std::string contents(BIO *memory);

// Why OpenSSL's last call failed; empties its list of errors.
std::string last_error();

std::string hex(const unsigned char *bytes, size_t count);
std::string sha256(std::string_view data);             // in hexadecimal
std::string fingerprint(const X509 *certificate);      // SHA-256 of it, in hexadecimal
std::string key_fingerprint(const X509 *certificate);  // SHA-256 of its SubjectPublicKeyInfo
std::string subject(const X509 *certificate);          // "CN=..., O=...", in printable ASCII

}  // namespace tapir::trust
