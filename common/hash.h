// SPDX-License-Identifier: GPL-2.0-or-later
// Keys of cached things.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace tapir {

// Two lower-case digits for each byte.
std::string to_hex(const unsigned char *bytes, size_t size);

// SHA-256 over a sequence of fields. Each field is hashed with its length, so no two sequences run together.
class Hasher {
  public:
    Hasher();
    ~Hasher();
    Hasher(const Hasher &) = delete;
    Hasher &operator=(const Hasher &) = delete;

    Hasher &add(std::string_view field);
    // 64 lower-case hex digits. The hasher is used up.
    std::string hex();

  private:
    evp_md_ctx_st *context_;
};

// 64 hex digits of the bytes alone.
std::string sha256(std::string_view bytes);
// The same of a file's bytes from its beginning, read piece by piece; "" with errno if it cannot be read.
std::string sha256_of_file(int fd);

}  // namespace tapir
