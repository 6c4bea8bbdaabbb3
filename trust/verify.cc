// SPDX-License-Identifier: GPL-2.0-or-later
#include "verify.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace tapir::trust {

namespace {

constexpr int kMaxCertificates = 16;
constexpr int kMaxDepth = 5;
constexpr int kSecurityLevel = 2;  // 112 bits: RSA from 2048, no SHA-1

Fault damaged(const std::string &why) {
    ERR_clear_error();
    return {FaultTag::SignatureDamaged, "its signature is damaged: " + why};
}

Outcome<void> parse_message(std::string_view signature, Message &message) {
    if (signature.size() > kMaxSignature)
        return Fault{FaultTag::SignatureTooLarge,
                     "its signature is larger than " + std::to_string(kMaxSignature) + " bytes"};
    const auto *begin = reinterpret_cast<const unsigned char *>(signature.data());
    const unsigned char *at = begin;
    message.reset(d2i_CMS_ContentInfo(nullptr, &at, static_cast<long>(signature.size())));
    if (!message) return damaged("not a CMS message");
    if (at != begin + signature.size()) return damaged("something follows the CMS message");
    if (OBJ_obj2nid(CMS_get0_type(message.get())) != NID_pkcs7_signed) return damaged("not signed data");
    ASN1_OCTET_STRING **content = CMS_get0_content(message.get());
    if (OBJ_obj2nid(CMS_get0_eContentType(message.get())) != NID_pkcs7_data || !content || !*content)
        return damaged("it has no manifest");
    if (ASN1_STRING_length(*content) > static_cast<int>(kMaxManifest)) return damaged("its manifest is too large");
    const int signers = sk_CMS_SignerInfo_num(CMS_get0_SignerInfos(message.get()));
    if (signers != 1) return damaged("it has " + std::to_string(signers < 0 ? 0 : signers) + " signers instead of one");
    return {};
}

Outcome<void> check_algorithm(CMS_SignerInfo *info) {
    X509_ALGOR *digest = nullptr;
    CMS_SignerInfo_get0_algs(info, nullptr, nullptr, &digest, nullptr);
    const ASN1_OBJECT *object = nullptr;
    X509_ALGOR_get0(&object, nullptr, nullptr, digest);
    const int nid = OBJ_obj2nid(object);
    if (nid == NID_sha256 || nid == NID_sha384 || nid == NID_sha512) return {};
    return Fault{FaultTag::SignatureWeak,
                 "its signature uses a digest that is not accepted (SHA-256, SHA-384 and SHA-512 are)"};
}

Fault explain_chain(int error, const std::string &signer) {
    const std::string who = "its signer '" + signer + "' ";
    switch (error) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            return Fault{FaultTag::SignerExpired, who + "has a certificate that has expired, or whose authority's has"};
        case X509_V_ERR_CERT_NOT_YET_VALID:
            return Fault{FaultTag::SignerNotYetValid,
                         who + "has a certificate that is not valid yet (is the clock right?)"};
        case X509_V_ERR_EE_KEY_TOO_SMALL:
        case X509_V_ERR_CA_KEY_TOO_SMALL:
        case X509_V_ERR_CA_MD_TOO_WEAK:
            return Fault{FaultTag::SignerWeak,
                         who + "has a certificate that is too weak: " + X509_verify_cert_error_string(error)};
        default:
            return Fault{FaultTag::SignerUnknown,
                         who + "is not trusted on this machine: " + X509_verify_cert_error_string(error)};
    }
}

// A certificate for something else, say a web server's by the same authority, signs no modules.
Outcome<void> check_purpose(X509 *certificate, const std::string &signer) {
    const bool may_sign = (X509_get_key_usage(certificate) & KU_DIGITAL_SIGNATURE) != 0;
    const bool for_code = (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE) != 0 &&
                          (X509_get_extended_key_usage(certificate) & XKU_CODE_SIGN) != 0;
    if (may_sign && for_code) return {};
    return Fault{FaultTag::SignerPurpose,
                 "its signer '" + signer +
                     "' has a certificate that is not meant for signing code (extendedKeyUsage codeSigning)"};
}

Outcome<void> check_revocation(STACK_OF(X509) * chain, const Store &store, int64_t now, const std::string &signer) {
    const Fault revoked = {FaultTag::SignerRevoked,
                           "the certificate of its signer '" + signer + "', or of its authority, has been revoked"};
    time_t moment = now;
    for (int i = 0; i < sk_X509_num(chain); i++) {
        X509 *certificate = sk_X509_value(chain, i);
        if (store.revokes_certificate(certificate)) return revoked;
        for (const RevocationList &list : store.revocation_lists()) {
            if (X509_NAME_cmp(X509_CRL_get_issuer(list.get()), X509_get_issuer_name(certificate)) != 0) continue;
            X509_REVOKED *entry = nullptr;
            if (X509_CRL_get0_by_cert(list.get(), &entry, certificate) == 1) return revoked;
            const ASN1_TIME *next = X509_CRL_get0_nextUpdate(list.get());
            if (next && X509_cmp_time(next, &moment) <= 0)
                return Fault{FaultTag::RevocationListExpired,
                             "the revocation list of its signer's authority is out of date",
                             "the administrator has to renew it in " + std::string(kStorePath)};
        }
    }
    return {};
}

Outcome<void> check_signer(X509 *certificate, STACK_OF(X509) * others, const Store &store, int64_t now,
                           const std::string &signer) {
    StoreContext context(X509_STORE_CTX_new());
    if (!context || X509_STORE_CTX_init(context.get(), store.anchors(), certificate, others) != 1)
        return damaged(last_error());
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context.get());
    // A signer's own certificate in the store is as good as its authority's.
    X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
    X509_VERIFY_PARAM_set_time(parameters, now);
    X509_VERIFY_PARAM_set_depth(parameters, kMaxDepth);
    X509_VERIFY_PARAM_set_auth_level(parameters, kSecurityLevel);
    const bool trusted = X509_verify_cert(context.get()) == 1;
    ERR_clear_error();
    if (!trusted) return explain_chain(X509_STORE_CTX_get_error(context.get()), signer);
    if (Outcome<void> purpose = check_purpose(certificate, signer); !purpose) return purpose;
    return check_revocation(X509_STORE_CTX_get0_chain(context.get()), store, now, signer);
}

Outcome<void> compare(const Manifest &manifest, const Subject &subject, const Store &store, int64_t now) {
    if (manifest.sha256 != sha256(subject.image))
        return Fault{FaultTag::DigestMismatch,
                     "it is not the file that was signed (it was changed, or the signature is another module's)"};
    if (store.revokes_module(manifest.sha256))
        return Fault{FaultTag::ModuleRevoked, "it has been revoked on this machine"};
    if (manifest.name != subject.name)
        return Fault{FaultTag::NameMismatch,
                     "it was signed as '" + manifest.name + "', but its name is '" + subject.name + "'"};
    if (manifest.release != subject.release)
        return Fault{FaultTag::KernelMismatch,
                     "it was signed for kernel " + manifest.release + ", this machine runs " + subject.release};
    if (!manifest.build.empty() && manifest.build != printable(subject.build))
        return Fault{FaultTag::KernelMismatch, "it was signed for kernel " + manifest.release + " of build '" +
                                                   manifest.build + "', this machine runs build '" +
                                                   printable(subject.build) + "'"};
    if (manifest.architecture != subject.architecture)
        return Fault{FaultTag::ArchitectureMismatch,
                     "it was signed for " + manifest.architecture + ", this machine is " + subject.architecture};
    if (manifest.abi != subject.abi)
        return Fault{FaultTag::AbiMismatch, "it was signed for module ABI " + std::to_string(manifest.abi) +
                                                ", this staprun has " + std::to_string(subject.abi)};
    if (now < manifest.not_before)
        return Fault{FaultTag::NotYetValid, "its signature is valid only from " + print_time(manifest.not_before) +
                                                " on (is the clock right?)"};
    if (now > manifest.not_after)
        return Fault{FaultTag::Expired, "its signature has expired at " + print_time(manifest.not_after),
                     "have it signed again"};
    return {};
}

}  // namespace

Verdict verify(std::string_view signature, const Subject &subject_, const Store &store, int64_t now) {
    Verdict verdict;
    Message message;
    verdict.outcome = parse_message(signature, message);
    if (!verdict.outcome) return verdict;
    const Certificates certificates(CMS_get1_certs(message.get()));
    if (certificates && sk_X509_num(certificates.get()) > kMaxCertificates) {
        verdict.outcome = damaged("it has too many certificates");
        return verdict;
    }
    CMS_SignerInfo *info = sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(message.get()), 0);
    X509 *signer = nullptr;
    if (CMS_set1_signers_certs(message.get(), nullptr, 0) >= 0)
        CMS_SignerInfo_get0_algs(info, nullptr, &signer, nullptr, nullptr);
    if (!signer) {
        verdict.outcome = damaged("it does not have its signer's certificate");
        return verdict;
    }
    verdict.signer = subject(signer);
    verdict.fingerprint = fingerprint(signer);
    // Nothing is computed with a key before its owner is known to be trusted.
    verdict.outcome = check_signer(signer, certificates.get(), store, now, verdict.signer);
    if (verdict.outcome) verdict.outcome = check_algorithm(info);
    if (!verdict.outcome) return verdict;

    Bio out(BIO_new(BIO_s_mem()));
    const unsigned flags = CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY;
    if (!out || CMS_verify(message.get(), nullptr, nullptr, nullptr, out.get(), flags) != 1) {
        ERR_clear_error();
        verdict.outcome =
            Fault{FaultTag::SignatureWrong, "its signature is not what its signer '" + verdict.signer +
                                                "' would have made: the manifest or the signature was changed"};
        return verdict;
    }
    const Outcome<Manifest> manifest = parse(contents(out.get()));
    if (!manifest) {
        verdict.outcome = manifest.fault();
        return verdict;
    }
    verdict.manifest = *manifest;
    verdict.outcome = compare(verdict.manifest, subject_, store, now);
    return verdict;
}

}  // namespace tapir::trust
