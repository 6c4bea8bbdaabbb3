// SPDX-License-Identifier: GPL-2.0-or-later
// Certificates, keys and directories for tests, made when they run.
#pragma once

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "trust/openssl.h"
#include "trust/sign.h"
#include "trust/store.h"

namespace tapir::trust {

constexpr int64_t kDay = 86400;
constexpr int64_t kNow = 1800000000;  // 2027-01-15

struct Identity {
    Key key;
    Certificate certificate;
};

struct Wanted {
    std::string name = "Signer";
    const char *purpose = "codeSigning";  // nullptr: none is said
    bool authority = false;
    int64_t from = kNow - 10 * kDay, to = kNow + 10 * kDay;
    int bits = 0;  // of an RSA key; 0: elliptic curve
    const EVP_MD *digest = EVP_sha256();
};

inline void extend(X509 *certificate, int nid, const char *value) {
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

// Signed by itself without an issuer.
inline Identity make_identity(const Wanted &wanted = {}, const Identity *issuer = nullptr) {
    static long serial = 1;
    Identity out;
    out.key.reset(wanted.bits ? EVP_RSA_gen(static_cast<unsigned>(wanted.bits)) : EVP_EC_gen("P-256"));
    out.certificate.reset(X509_new());
    X509 *certificate = out.certificate.get();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
    time_t zero = 0;
    X509_time_adj_ex(X509_getm_notBefore(certificate), static_cast<int>(wanted.from / kDay), wanted.from % kDay, &zero);
    X509_time_adj_ex(X509_getm_notAfter(certificate), static_cast<int>(wanted.to / kDay), wanted.to % kDay, &zero);
    X509_set_pubkey(certificate, out.key.get());
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char *>(wanted.name.c_str()), -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(issuer ? issuer->certificate.get() : certificate));
    extend(certificate, NID_basic_constraints, wanted.authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
    extend(certificate, NID_key_usage, wanted.authority ? "critical,keyCertSign,cRLSign" : "critical,digitalSignature");
    if (wanted.purpose && !wanted.authority) extend(certificate, NID_ext_key_usage, wanted.purpose);
    X509_sign(certificate, issuer ? issuer->key.get() : out.key.get(), wanted.digest);
    return out;
}

inline std::string pem(const Identity &identity) {
    Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), identity.certificate.get());
    return contents(bio.get());
}

// The same certificate with the other one of the two signatures (r, s) and (r, n - s), which is as valid. Its issuer
// has a key of the curve P-256.
inline Identity with_other_signature(const Identity &identity) {
    unsigned char *der = nullptr;
    int size = i2d_X509(identity.certificate.get(), &der);
    const unsigned char *at = der;
    Identity out;
    out.certificate.reset(d2i_X509(nullptr, &at, size));
    OPENSSL_free(der);
    EVP_PKEY_up_ref(identity.key.get());
    out.key.reset(identity.key.get());
    const ASN1_BIT_STRING *signature = nullptr;
    X509_get0_signature(&signature, nullptr, out.certificate.get());
    at = signature->data;
    std::unique_ptr<ECDSA_SIG, Free<ECDSA_SIG_free>> pair(d2i_ECDSA_SIG(nullptr, &at, signature->length));
    BIGNUM *n = nullptr;
    BN_hex2bn(&n, "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551");
    BIGNUM *s = BN_new();
    BN_sub(s, n, ECDSA_SIG_get0_s(pair.get()));
    BN_free(n);
    ECDSA_SIG_set0(pair.get(), BN_dup(ECDSA_SIG_get0_r(pair.get())), s);
    der = nullptr;
    size = i2d_ECDSA_SIG(pair.get(), &der);
    ASN1_STRING_set(const_cast<ASN1_BIT_STRING *>(signature), der, size);
    OPENSSL_free(der);
    return out;
}

inline std::string pem_key(const Identity &identity) {
    Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_PrivateKey(bio.get(), identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return contents(bio.get());
}

inline Signer signer_of(const Identity &identity) {
    Signer out;
    EVP_PKEY_up_ref(identity.key.get());
    out.key.reset(identity.key.get());
    X509_up_ref(identity.certificate.get());
    out.certificate.reset(identity.certificate.get());
    return out;
}

// A revocation list of `issuer` with that certificate in it.
inline std::string pem_list(const Identity &issuer, const Identity *revoked, int64_t next = kNow + kDay) {
    RevocationList list(X509_CRL_new());
    X509_CRL_set_version(list.get(), 1);
    X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(issuer.certificate.get()));
    ASN1_TIME *time = ASN1_TIME_new();
    ASN1_TIME_set(time, kNow - kDay);
    X509_CRL_set1_lastUpdate(list.get(), time);
    if (revoked) {
        X509_REVOKED *entry = X509_REVOKED_new();
        X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(revoked->certificate.get()));
        X509_REVOKED_set_revocationDate(entry, time);
        X509_CRL_add0_revoked(list.get(), entry);
    }
    ASN1_TIME_set(time, next);
    X509_CRL_set1_nextUpdate(list.get(), time);
    ASN1_TIME_free(time);
    X509_CRL_sort(list.get());
    X509_CRL_sign(list.get(), issuer.key.get(), EVP_sha256());
    Bio bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509_CRL(bio.get(), list.get());
    return contents(bio.get());
}

// A directory of this test, which is what protection begins at.
class Folder {
  public:
    Folder() {
        char path[] = "/tmp/tapir-trust-XXXXXX";
        path_ = mkdtemp(path);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    const std::string &path() const { return path_; }
    Protection protection() const { return {getuid(), path_}; }
    std::string write(const std::string &name, const std::string &content, mode_t mode = 0644) const {
        const std::string file = path_ + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(file).parent_path());
        std::ofstream(file, std::ios::binary) << content;
        chmod(file.c_str(), mode);
        return file;
    }

  private:
    std::string path_;
};

}  // namespace tapir::trust
