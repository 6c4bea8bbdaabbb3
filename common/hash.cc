// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/hash.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <new>

namespace tapir {

Hasher::Hasher() : context_(EVP_MD_CTX_new()) {
    if (!context_) throw std::bad_alloc();
    EVP_DigestInit_ex(context_, EVP_sha256(), nullptr);
}

Hasher::~Hasher() {
    EVP_MD_CTX_free(context_);
}

Hasher &Hasher::add(std::string_view field) {
    uint64_t size = field.size();
    EVP_DigestUpdate(context_, &size, sizeof size);
    EVP_DigestUpdate(context_, field.data(), field.size());
    return *this;
}

std::string Hasher::hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context_, digest, &size);
    return to_hex(digest, size);
}

std::string sha256(std::string_view bytes) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
    return to_hex(digest, size);
}

std::string sha256_of_file(int fd) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (!context) throw std::bad_alloc();
    EVP_DigestInit_ex(context, EVP_sha256(), nullptr);
    std::array<char, 64 * 1024> part;
    off_t at = 0;
    ssize_t got = 0;
    for (; (got = pread(fd, part.data(), part.size(), at)) > 0; at += got)
        EVP_DigestUpdate(context, part.data(), static_cast<size_t>(got));
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    EVP_DigestFinal_ex(context, digest, &size);
    EVP_MD_CTX_free(context);
    return got == 0 ? to_hex(digest, size) : "";
}

}  // namespace tapir
