// SPDX-License-Identifier: GPL-2.0-or-later
// Making signatures: Tapir's own, and the kernel's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"
#include "manifest.h"
#include "openssl.h"

namespace tapir::trust {

struct Signer {
    Key key;
    Certificate certificate;
    std::vector<Certificate> chain;  // authorities between the certificate and one that hosts trust
};

struct SignerFiles {
    std::string key;  // a PEM file that only its owner can read, or a PKCS#11 URI, which a provider of OpenSSL's
                      // configuration takes
    std::string certificate;      // PEM, or one in DER; more certificates in it are the chain
    std::string passphrase_file;  // "" = the key has none; its first line; of a token its PIN
};

// The certificates of a file, in PEM or one in DER; at least one. SignerUnusable.
Outcome<std::vector<Certificate>> load_certificates(const std::string &path);

// SignerUnusable: a file cannot be read or has no proper content, or they do not belong together.
Outcome<Signer> load_signer(const SignerFiles &files);

// The content of NAME.ko.sig, or SigningFailed.
Outcome<std::string> sign(const Manifest &manifest, const Signer &signer);

// 32 random hexadecimal digits.
std::string random_id();

// The module with the kernel's own signature after it, as kernels check it that require one (CONFIG_MODULE_SIG).
// `digest`: sha256, sha384 or sha512, one that the kernel has built in. Else SigningFailed.
Outcome<std::string> sign_for_kernel(std::string_view image, const Signer &signer, const std::string &digest);

// Whether something was signed for the kernel already.
bool has_kernel_signature(std::string_view image);
// Bytes of that at the file's end, with what tells of it. SigningFailed: it is damaged.
Outcome<size_t> kernel_signature_size(std::string_view image);

}  // namespace tapir::trust
