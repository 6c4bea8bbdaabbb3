// SPDX-License-Identifier: GPL-2.0-or-later
// C types as debug information describes them, whichever format it came in: DWARF (dwarf/) and BTF (target/btf.h) each
// are a TypeSource, and everything above reads types through this interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::ctypes {

enum class TypeKind : uint8_t {
    Void,
    Integer,  // also characters and booleans; see Encoding
    Float,
    Pointer,  // also C++ references
    Array,    // one dimension; an array of arrays for more
    Struct,   // also C++ classes
    Union,
    Enum,
    Function,
    Typedef,
    Qualified,  // const, volatile, restrict, _Atomic
    Unknown,    // a kind this program does not know
};

enum class Encoding : uint8_t { Unsigned, Signed, UnsignedChar, SignedChar, Boolean };

using TypeId = uint64_t;  // meaningful to one TypeSource; 0 is void

struct TypeInfo {
    TypeKind kind = TypeKind::Void;
    Encoding encoding = Encoding::Unsigned;  // Integer, Enum
    bool declaration = false;                // Struct, Union, Enum: only declared here, size not known
    uint64_t size = 0;                       // bytes; 0 for void, functions and incomplete types
    uint64_t count = 0;                      // Array: elements; 0 for a flexible one
    TypeId target = 0;                       // Pointer, Array, Typedef, Qualified; result of a Function
    std::string name;                        // without "struct", "union", "enum"; "" for an anonymous one
    std::string qualifier;                   // Qualified: "const", ...
};

struct Member {
    std::string name;  // "" for an anonymous struct or union
    TypeId type = 0;
    // From the start of the structure. Bits count from the least significant one of the little-endian image.
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;   // of a bit-field; 0: the whole type
    bool inherited = false;  // a C++ base class
    uint64_t byte_offset() const { return bit_offset / 8; }
};

struct Enumerator {
    std::string name;
    int64_t value = 0;
};

// A source of types; its methods may be called from one thread only.
class TypeSource {
  public:
    virtual ~TypeSource() = default;
    // A damaged or unknown type has kind Unknown.
    virtual TypeInfo info(TypeId id) const = 0;
    // Of a Struct or Union, in order; none of others.
    virtual std::vector<Member> members(TypeId id) const = 0;
    virtual std::vector<Enumerator> enumerators(TypeId id) const = 0;
    // Of a Function.
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

// sizeof; nothing for incomplete types, functions and void.
std::optional<uint64_t> type_size(Type type);

// Where a member is: through anonymous structures and unions and base classes, `bit_offset` counts from the outermost.
struct FoundMember {
    Type type;
    uint64_t bit_offset = 0;
    uint32_t bit_size = 0;
};
std::optional<FoundMember> find_member(Type structure, std::string_view name);

// Names that find_member would find, in order of declaration; for messages.
std::vector<std::string> member_names(Type structure);

}  // namespace tapir::ctypes
