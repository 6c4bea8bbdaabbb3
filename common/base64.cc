// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/base64.h"

#include <openssl/evp.h>

namespace tapir {
namespace {

const unsigned char *unsigned_bytes(std::string_view bytes) {
    return reinterpret_cast<const unsigned char *>(bytes.data());
}

}  // namespace

std::string to_base64(std::string_view bytes) {
    // EVP_EncodeBlock() writes a NUL at the end.
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data()), unsigned_bytes(bytes),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<size_t>(size));
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // EVP_DecodeBlock() leaves out white space at both ends, and takes padding anywhere.
    const size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    if (text.size() % 4 != 0 || text.substr(0, text.size() - padding).find_first_not_of(kDigits) != text.npos)
        return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char *>(bytes.data()), unsigned_bytes(text),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<size_t>(size) - padding);
    return bytes;
}

}  // namespace tapir
