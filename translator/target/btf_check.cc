// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/btf_check.h"

#include <bpf/btf.h>

#include <cstring>
#include <vector>

namespace tapir::target {

namespace {

constexpr uint16_t kMagic = 0xeb9f;

// The data after a type's three words: a fixed part, and one part for each of its `vlen` elements.
struct KindLayout {
    uint8_t fixed, each;
    bool refers;  // its third word is a type, not a size
};

// Indexed by kind; those not in use have an odd size.
constexpr KindLayout kLayouts[NR_BTF_KINDS] = {
    {1, 0, false},                               // BTF_KIND_UNKN
    {sizeof(uint32_t), 0, false},                // BTF_KIND_INT
    {0, 0, true},                                // BTF_KIND_PTR
    {sizeof(struct btf_array), 0, false},        // BTF_KIND_ARRAY
    {0, sizeof(struct btf_member), false},       // BTF_KIND_STRUCT
    {0, sizeof(struct btf_member), false},       // BTF_KIND_UNION
    {0, sizeof(struct btf_enum), false},         // BTF_KIND_ENUM
    {0, 0, false},                               // BTF_KIND_FWD
    {0, 0, true},                                // BTF_KIND_TYPEDEF
    {0, 0, true},                                // BTF_KIND_VOLATILE
    {0, 0, true},                                // BTF_KIND_CONST
    {0, 0, true},                                // BTF_KIND_RESTRICT
    {0, 0, true},                                // BTF_KIND_FUNC; its vlen is the linkage
    {0, sizeof(struct btf_param), true},         // BTF_KIND_FUNC_PROTO
    {sizeof(struct btf_var), 0, true},           // BTF_KIND_VAR
    {0, sizeof(struct btf_var_secinfo), false},  // BTF_KIND_DATASEC
    {0, 0, false},                               // BTF_KIND_FLOAT
    {sizeof(struct btf_decl_tag), 0, true},      // BTF_KIND_DECL_TAG
    {0, 0, true},                                // BTF_KIND_TYPE_TAG
    {0, sizeof(struct btf_enum64), false},       // BTF_KIND_ENUM64
};

template <class T>
T load(const char *at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

class Checker {
  public:
    Checker(std::string_view blob, const BtfLayout *below, BtfLayout &layout)
        : blob_(blob), below_(below), layout_(layout) {}

    std::string run() {
        layout_ = {};
        if (below_) {
            layout_.first = below_->end();
            layout_.first_string = below_->string_end();
        }
        if (std::string wrong = header(); !wrong.empty()) return wrong;
        if (!walk([&](const btf_type &, const char *rest) {
                layout_.types.push_back(static_cast<uint32_t>(rest - sizeof(btf_type) - blob_.data()));
                return layout_.end() <= BTF_MAX_TYPE;
            }))
            return "type " + std::to_string(layout_.end()) + " is cut off, of an unknown kind, or one too many";
        uint32_t id = layout_.first;
        if (!walk([&](const btf_type &type, const char *rest) { return references(type, rest) && ++id; }))
            return "type " + std::to_string(id) + " refers to what is not there";
        return {};
    }

  private:
    std::string header() {
        if (blob_.size() < sizeof(btf_header)) return "it is shorter than its header";
        const auto head = load<btf_header>(blob_.data());
        if (head.magic != kMagic) return "it does not begin as BTF does";
        if (head.version != BTF_VERSION) return "its version is unknown";
        if (head.hdr_len < sizeof(btf_header) || head.hdr_len > blob_.size() || head.hdr_len % 4 != 0)
            return "the length of its header is wrong";
        const uint64_t room = blob_.size() - head.hdr_len;
        if (uint64_t{head.type_off} + head.type_len > room || uint64_t{head.str_off} + head.str_len > room ||
            head.type_off % 4 != 0)
            return "it is cut off";
        if (head.type_off + head.type_len > head.str_off) return "its types and strings overlap";
        types_ = blob_.substr(head.hdr_len + head.type_off, head.type_len);
        layout_.strings = head.hdr_len + head.str_off;
        layout_.string_bytes = head.str_len;
        const std::string_view strings = blob_.substr(layout_.strings, layout_.string_bytes);
        if (strings.size() > BTF_MAX_NAME_OFFSET) return "it has more strings than can be numbered";
        // The kernel's begin with the empty string; those of a module may be none.
        if (strings.empty() ? !below_ : strings.back() != '\0') return "its last string has no end";
        if (!below_ && strings.front() != '\0') return "its first string is not empty";
        return {};
    }

    // Calls `visit` for each type with the data behind its three words; false if it refuses one, or one is cut off.
    template <class Visit>
    bool walk(Visit visit) const {
        for (size_t at = 0; at < types_.size();) {
            if (types_.size() - at < sizeof(btf_type)) return false;
            const auto type = load<btf_type>(types_.data() + at);
            at += sizeof(btf_type);
            const uint32_t kind = BTF_INFO_KIND(type.info);
            if (kind == BTF_KIND_UNKN || kind >= NR_BTF_KINDS) return false;
            const KindLayout &layout = kLayouts[kind];
            const size_t size = layout.fixed + size_t{layout.each} * BTF_INFO_VLEN(type.info);
            if (types_.size() - at < size || !visit(type, types_.data() + at)) return false;
            at += size;
        }
        return true;
    }

    bool name(uint32_t offset) const { return offset < layout_.string_end(); }
    bool reference(uint32_t id) const { return id < layout_.end(); }
    uint32_t kind_of(uint32_t id) const {
        return BTF_INFO_KIND(load<btf_type>(blob_.data() + layout_.types[id - layout_.first]).info);
    }

    bool references(const btf_type &type, const char *rest) const {
        const uint32_t kind = BTF_INFO_KIND(type.info);
        const KindLayout &layout = kLayouts[kind];
        if (!name(type.name_off) || (layout.refers && !reference(type.type))) return false;
        if (kind == BTF_KIND_ARRAY) {
            const auto array = load<struct btf_array>(rest);
            return reference(array.type) && reference(array.index_type);
        }
        if (kind == BTF_KIND_FUNC && type.type >= layout_.first && kind_of(type.type) != BTF_KIND_FUNC_PROTO)
            return false;
        for (uint32_t i = 0; layout.each && i < BTF_INFO_VLEN(type.info); ++i, rest += layout.each) {
            // Elements begin with a name, but for those of sections; a type comes second, but for enumerators.
            const auto first = load<uint32_t>(rest), second = load<uint32_t>(rest + 4);
            if (kind == BTF_KIND_DATASEC ? !reference(first) : !name(first)) return false;
            const bool typed = kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION || kind == BTF_KIND_FUNC_PROTO;
            if (typed && !reference(second)) return false;
        }
        return true;
    }

    std::string_view blob_, types_;
    const BtfLayout *below_;
    BtfLayout &layout_;
};

}  // namespace

std::string check_btf(std::string_view blob, const BtfLayout *below, BtfLayout &layout) {
    return Checker(blob, below, layout).run();
}

}  // namespace tapir::target
