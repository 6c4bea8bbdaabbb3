// SPDX-License-Identifier: GPL-2.0-or-later
// Types and function prototypes from BTF, the compact description that kernels carry of themselves
// (Documentation/bpf/btf.rst of the kernel).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ctypes/type.h"
#include "target/btf_check.h"

struct btf_type;

namespace tapir::target {

class BtfTypes : public ctypes::TypeSource {
  public:
    // Reads a blob as in a .BTF section or below /sys/kernel/btf. A module's continues where `base`, the kernel's,
    // ends; `base` must outlive the result. Every length, offset and reference is checked first; null, with a reason in
    // `error`, if anything is wrong.
    static std::unique_ptr<BtfTypes> read(std::string blob, std::string &error, const BtfTypes *base = nullptr);
    BtfTypes(const BtfTypes &) = delete;
    BtfTypes &operator=(const BtfTypes &) = delete;

    ctypes::TypeInfo info(ctypes::TypeId id) const override;
    std::vector<ctypes::Member> members(ctypes::TypeId id) const override;
    std::vector<ctypes::Enumerator> enumerators(ctypes::TypeId id) const override;
    std::vector<ctypes::TypeId> parameters(ctypes::TypeId id) const override;
    std::optional<ctypes::TypeId> find_type(std::string_view name) const override;

    // The type of a function, by its name.
    std::optional<ctypes::TypeId> find_function(std::string_view name) const;
    struct Parameter {
        std::string name;  // "" when it has none
        ctypes::TypeId type = 0;
    };
    // Parameters of a Function, without a trailing "...".
    std::vector<Parameter> named_parameters(ctypes::TypeId id) const;
    // Names of the functions that begin so, the prefix removed; not sorted. Those of the base are not among them.
    std::vector<std::string> functions_with_prefix(std::string_view prefix) const;
    std::optional<int64_t> find_enumerator(std::string_view name) const;

  private:
    BtfTypes() = default;
    const btf_type *type(ctypes::TypeId id) const;
    std::string_view name(uint32_t offset) const;
    ctypes::TypeId without_tags(ctypes::TypeId id) const;
    // Ids of a name, own ones first, then the base's.
    template <class Visit>
    void each_named(std::string_view name, Visit visit) const;
    void index_names() const;
    // Was it made by a writer that says which enumerations have negative values?
    bool tells_signs() const;
    int64_t value_of(const btf_type *enumeration, uint32_t position) const;

    std::string blob_;
    BtfLayout layout_;
    const BtfTypes *base_ = nullptr;
    mutable std::optional<bool> tells_signs_;
    mutable std::vector<uint32_t> slots_;  // ids by the hash of their names, open addressing; 0: empty
};

}  // namespace tapir::target
