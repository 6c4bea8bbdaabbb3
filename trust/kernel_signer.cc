// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_signer.h"

#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::trust {

namespace {

constexpr std::array<std::string_view, 6> kEndings = {".pem", ".crt", ".cer", ".der", ".x509", ".pub"};
constexpr std::string_view kTokenPrefix = "pkcs11:";

bool readable(const std::string &path) {
    return access(path.c_str(), R_OK) == 0;
}

// "a/b.key" -> "a/b"
std::string without_ending(const std::string &path) {
    const size_t dot = path.rfind('.'), slash = path.rfind('/');
    return dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path : path.substr(0, dot);
}

// The key's own file may hold the certificate, as the kernel's certs/signing_key.pem does.
bool holds_certificate(const std::string &path) {
    const auto text = read_file(path);
    return text && text->find("-----BEGIN CERTIFICATE-----") != std::string::npos;
}

}  // namespace

Outcome<std::string> certificate_beside(const std::string &key) {
    if (key.starts_with(kTokenPrefix))
        return Fault{FaultTag::SignerUnusable, "the key is in a token, and nothing names its certificate",
                     "--sign-certificate=FILE does"};
    if (holds_certificate(key)) return key;
    const std::string stem = without_ending(key);
    for (const std::string_view ending : kEndings)
        if (const std::string path = stem + std::string(ending); path != key && readable(path)) return path;
    std::string names;
    for (const std::string_view ending : kEndings)
        names += (names.empty() ? "" : ", ") + std::string(ending);
    return Fault{FaultTag::SignerUnusable,
                 "no certificate was found for the key '" + key + "': neither in its file nor in '" + stem +
                     "' with one of the endings " + names,
                 "--sign-certificate=FILE names it"};
}

std::vector<KernelSignerFiles> usual_kernel_keys(const std::string &root) {
    std::vector<KernelSignerFiles> out;
    for (const auto &[key, certificate] :
         {std::pair{"/var/lib/dkms/mok.key", "/var/lib/dkms/mok.pub"},
          std::pair{"/var/lib/shim-signed/mok/MOK.priv", "/var/lib/shim-signed/mok/MOK.der"}})
        if (readable(root + certificate) && access((root + key).c_str(), F_OK) == 0)
            out.push_back({root + key, root + certificate, ""});
    return out;
}

Outcome<std::shared_ptr<KernelSigner>> KernelSigner::load(const KernelSignerFiles &files) {
    std::shared_ptr<KernelSigner> out(new KernelSigner);
    out->files_ = files;
    if (files.certificate.empty()) {
        if (!files.key.starts_with(kTokenPrefix) && access(files.key.c_str(), F_OK) != 0)
            return Fault{FaultTag::SignerUnusable, "there is no key '" + files.key + "'"};
        Outcome<std::string> found = certificate_beside(files.key);
        if (!found) return found.fault();
        out->files_.certificate = std::move(*found);
    }
    Outcome<std::vector<Certificate>> certificates = load_certificates(out->files_.certificate);
    if (!certificates) return certificates.fault();
    out->certificate_ = std::move(certificates->front());
    return out;
}

Outcome<std::string> KernelSigner::sign(std::string_view image, const std::string &digest) {
    if (!signer_.key) {
        Outcome<Signer> signer = load_signer({files_.key, files_.certificate, files_.passphrase_file});
        if (!signer) return signer.fault();
        signer_ = std::move(*signer);
    }
    return sign_for_kernel(image, signer_, digest);
}

std::string KernelSigner::identity() const {
    return fingerprint(certificate_.get());
}

std::string KernelSigner::subject() const {
    return trust::subject(certificate_.get());
}

std::string KernelSigner::kernel_id() const {
    return kernel_key_id(certificate_.get());
}

std::string kernel_key_id(const X509 *certificate) {
    // The extension is read when OpenSSL first looks at the certificate, which it does through a pointer to const.
    const ASN1_OCTET_STRING *identifier = X509_get0_subject_key_id(const_cast<X509 *>(certificate));
    const ASN1_STRING *number = identifier ? identifier : X509_get0_serialNumber(certificate);
    const unsigned char *bytes = ASN1_STRING_get0_data(number);
    // The kernel shows a serial number as it is encoded: positive, by a byte of zeros if need be.
    const bool padded = !identifier && ASN1_STRING_length(number) > 0 && (bytes[0] & 0x80);
    return (padded ? "00" : "") + hex(bytes, static_cast<size_t>(ASN1_STRING_length(number)));
}

Outcome<std::string> without_kernel_signature(std::string_view image) {
    if (!has_kernel_signature(image)) return std::string(image);
    const Outcome<size_t> size = kernel_signature_size(image);
    if (!size) return size.fault();
    return std::string(image.substr(0, image.size() - *size));
}

}  // namespace tapir::trust
