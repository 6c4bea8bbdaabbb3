// SPDX-License-Identifier: GPL-2.0-or-later
// Signs modules for kernels that accept only signed ones (Secure Boot with lockdown, module.sig_enforce).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "sign.h"

namespace tapir::trust {

struct KernelSignerFiles {
    std::string key;              // a PEM file that only its owner can read, or a PKCS#11 URI
    std::string certificate;      // PEM or DER; "" = certificate_beside(key)
    std::string passphrase_file;  // "" = the key has none; its first line; of a token its PIN
};

// Finds the certificate of a key by the usual names: the key's own file, else a file with the key's name and the ending
// .pem, .crt, .cer, .der, .x509 or .pub. The text of the fault SignerUnusable lists the names it tried.
Outcome<std::string> certificate_beside(const std::string &key);

// Keys for modules that other programs leave on a machine, with their certificates: DKMS's, Ubuntu's. Only those
// whose certificate can be read.
std::vector<KernelSignerFiles> usual_kernel_keys(const std::string &root = "");

// A certificate. It loads the key at the first signature: if everything is signed already, no passphrase and no token
// is needed. Not for several threads.
class KernelSigner {
  public:
    // SignerUnusable if the certificate is missing or unreadable.
    static Outcome<std::shared_ptr<KernelSigner>> load(const KernelSignerFiles &files);

    // The module with the kernel's signature behind it. `digest`: see sign_for_kernel(). SignerUnusable, SigningFailed.
    Outcome<std::string> sign(std::string_view image, const std::string &digest);

    const KernelSignerFiles &files() const { return files_; }  // `certificate` is known
    std::string identity() const;                              // SHA-256 of the certificate, in hexadecimal
    std::string subject() const;                               // in printable ASCII
    std::string kernel_id() const;                             // see kernel_key_id()

  private:
    KernelSigner() = default;

    KernelSignerFiles files_;
    Certificate certificate_;
    Signer signer_;  // once it is needed
};

// As /proc/keys ends the description of a certificate: its subject key identifier, else its serial number, in lower
// case hexadecimal (x509_key_preparse() of the kernel).
std::string kernel_key_id(const X509 *certificate);

// Without the kernel's signature, if it has one. SigningFailed: what it has is damaged.
Outcome<std::string> without_kernel_signature(std::string_view image);

}  // namespace tapir::trust
