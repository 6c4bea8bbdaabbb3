// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/program_btf.h"

#include <linux/btf.h>

#include <algorithm>
#include <array>

namespace tapir::bpf {

namespace {

class Writer {
  public:
    // Returns the number of the type.
    uint32_t add(const std::string &name, uint32_t kind, uint32_t count, uint32_t size_or_type) {
        put(name.empty() ? 0 : text(name));
        put(kind << 24 | count);
        put(size_or_type);
        return ++types_;
    }

    void put(uint32_t word) { body_.append(reinterpret_cast<const char *>(&word), sizeof(word)); }

    uint32_t text(const std::string &name) {
        auto at = static_cast<uint32_t>(texts_.size());
        texts_ += name;
        texts_ += '\0';
        return at;
    }

    std::string finish() const {
        btf_header header = {};
        header.magic = BTF_MAGIC;
        header.version = BTF_VERSION;
        header.hdr_len = sizeof(header);
        header.type_len = static_cast<uint32_t>(body_.size());
        header.str_off = header.type_len;
        header.str_len = static_cast<uint32_t>(texts_.size());
        return std::string(reinterpret_cast<const char *>(&header), sizeof(header)) + body_ + texts_;
    }

  private:
    std::string body_, texts_ = std::string(1, '\0');
    uint32_t types_ = 0;
};

}  // namespace

Description describe(const Program &program) {
    constexpr uint32_t kBits = 64;
    constexpr size_t kArguments = 5;
    Writer writer;
    uint32_t number = writer.add("u64", BTF_KIND_INT, 0, 8);
    writer.put(kBits);
    uint32_t argument = writer.text("a");
    std::array<uint32_t, kArguments + 1> prototypes = {};
    for (uint32_t count = 0; count <= kArguments; count++) {
        prototypes[count] = writer.add("", BTF_KIND_FUNC_PROTO, count, number);
        for (uint32_t i = 0; i < count; i++) {
            writer.put(argument);
            writer.put(number);
        }
    }
    Description out;
    for (const Placed &function : program.functions) {
        bool entry = &function == &program.functions.front();
        std::string name = function.name;
        std::ranges::replace(name, '.', '_');
        // An entry takes the context of the hit.
        uint32_t type = writer.add(name, BTF_KIND_FUNC, BTF_FUNC_GLOBAL, prototypes[entry ? 1 : function.registers]);
        out.functions.push_back({function.at, type});
    }
    out.btf = writer.finish();
    return out;
}

}  // namespace tapir::bpf
