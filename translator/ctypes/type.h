// SPDX-License-Identifier: GPL-2.0-or-later
// C types as debug information describes them, in any format: DWARF (dwarf/) and BTF (target/btf.h) each are a
// TypeSource, and all code above reads types through this interface.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctypes/place.h"

namespace tapir::ctypes {

enum class TypeKind : uint8_t {
    Void,
    Integer,  // also characters and booleans; see Encoding
    Float,
    Pointer,  // also C++ references; see TypeInfo::reference
    Array,    // one dimension; an array of arrays for more
    Struct,   // also C++ classes
    Union,
    Enum,
    Function,
    Typedef,
    Qualified,  // const, volatile, restrict, _Atomic
    Unknown,    // a kind this program does not know
};

// For a Float: Complex is two numbers of half the size, Decimal is not binary; others are plain.
enum class Encoding : uint8_t { Unsigned, Signed, UnsignedChar, SignedChar, Boolean, Complex, Decimal };

using TypeId = uint64_t;  // meaningful to one TypeSource; 0 is void

struct TypeInfo {
    TypeKind kind = TypeKind::Void;
    Encoding encoding = Encoding::Unsigned;  // Integer, Enum, Float
    bool declaration = false;                // Struct, Union, Enum: only declared here, size not known
    bool vector = false;                     // Array: of the kind that fits a vector register
    uint64_t size = 0;                       // bytes; 0 for void, functions and incomplete types
    uint64_t alignment = 0;                  // bytes, where the source has given it more than it has by itself
    uint64_t count = 0;                      // Array: elements; 0 for a flexible one
    bool computed = false;                   // no constant tells `count` of an Array, or `size` of others
    TypeId target = 0;                       // Pointer, Array, Typedef, Qualified; result of a Function
    uint8_t reference = 0;                   // Pointer: 1 is "T&", 2 is "T&&"
    std::string name;       // without "struct", "union", "enum", with the scopes it is in; "" for an anonymous one
    std::string qualifier;  // Qualified: "const", ...
    std::string unread;     // why values of the type cannot be read; "" if they can
};

// A part of an object whose place is not constant: a virtual base class, or a member behind an array of variable
// length.
struct ComputedPart {
    uint64_t byte_offset = 0;  // from the structure, or from the computed part before it, to what has this part
    TermPtr address;           // of the part; what has it is at TermOp::Object. Null: only the place of a hit tells
    TypeId id = 0;             // names the member for those that ask a place
};

struct Member {
    std::string name;  // "" for an anonymous struct or union
    TypeId type = 0;
    // From the start of the structure. Bits count from the least significant one of the little-endian image.
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;                    // of a bit-field; 0: the whole type
    bool inherited = false;                   // a C++ base class
    bool in_variant = false;                  // of one of the structure's variants, or their discriminant
    bool is_computed = false;                 // its place is not constant; `bit_offset` counts from there
    uint64_t alignment = 0;                   // as TypeInfo::alignment, of this member alone
    TermPtr computed = {};                    // ComputedPart::address
    TypeId id = 0;                            // ComputedPart::id
    std::string unplaced = {};                // why it is not known where the member is; "" if it is
    std::shared_ptr<const Place> place = {};  // of a static member, which lies outside of the structure
    uint64_t byte_offset() const { return bit_offset / 8; }
};

struct Enumerator {
    std::string name;
    int64_t value = 0;
};

// A structure with one of several parts at a time: an enum of Rust.
struct VariantPart {
    struct Variant {
        std::vector<int64_t> values;  // of the discriminant; none: whenever it has no other variant's
        Member member;
    };
    std::optional<Member> discriminant;  // nothing where there is a single variant
    std::vector<Variant> variants;
    bool unread = false;  // the discriminant is not known
};

// A source of types; its methods may be called from one thread only.
class TypeSource {
  public:
    virtual ~TypeSource() = default;
    // A damaged or unknown type has kind Unknown.
    virtual TypeInfo info(TypeId id) const = 0;
    // Members of a Struct or Union, in order; none for other types.
    virtual std::vector<Member> members(TypeId id) const = 0;
    virtual std::vector<Enumerator> enumerators(TypeId id) const = 0;
    // For a Struct; its variants' members are among members(), too.
    virtual std::optional<VariantPart> variants(TypeId) const { return std::nullopt; }
    // For a Struct or Union: true if calls always pass it in memory, because copying it takes a function.
    virtual bool is_copied_by_function(TypeId) const { return false; }
    // For a Function.
    virtual std::vector<TypeId> parameters(TypeId id) const = 0;
    // A complete type by name: "struct task_struct", "union u", "enum e", "pid_t", "unsigned int". A bare name is
    // looked for among base types and typedefs, then structures, unions and enumerations.
    virtual std::optional<TypeId> find_type(std::string_view name) const = 0;
};

// A type together with its source. Copyable; the source must outlive it.
struct Type {
    const TypeSource *source = nullptr;
    TypeId id = 0;

    explicit operator bool() const { return source != nullptr; }
    TypeInfo info() const { return source ? source->info(id) : TypeInfo{}; }
    Type with(TypeId other) const { return {source, other}; }
    // Without typedefs and qualifiers. Bounded; a cyclic definition ends as Unknown.
    Type stripped() const;
    // The complete definition of a structure that is only declared here, if the source has one by the same name.
    Type completed() const;
};

// How listings and messages name a type: "struct file*", "int", "char[16]", "struct {...}", "int(*)(struct file*)".
std::string type_name(Type type);

// One of C's spellings of an integer type as GCC's debug information has it: "unsigned long" is "long unsigned int".
// Other names stay as they are.
std::string integer_name(std::string_view spelling);

// sizeof; nothing for incomplete types, functions, void, and types whose size is only known when the program runs.
std::optional<uint64_t> type_size(Type type);

// Where a member is: through anonymous structures and unions and base classes, `bit_offset` counts from the outermost
// or, where there are computed parts on the way, from the last of them.
struct FoundMember {
    Type type;
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;
    std::vector<ComputedPart> computed;  // in the order of the way
    std::string unplaced;                // why it is not known where it is; "" if it is
    std::shared_ptr<const Place> place;  // of a static member, instead of all this
};
std::optional<FoundMember> find_member(Type structure, std::string_view name);

// Names that find_member would find, in order of declaration; for messages.
std::vector<std::string> member_names(Type structure);

}  // namespace tapir::ctypes
