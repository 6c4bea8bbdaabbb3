// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/syscall_scope.h"

#include <tapir/abi.h>

#include <algorithm>
#include <functional>

#include "target/debug_info.h"
#include "target/integers.h"

namespace tapir::target {

namespace {

using ctypes::TypeId;
using ctypes::TypeInfo;
using ctypes::TypeKind;

// Pointers to the types of another source, and integers. Two bits show which an ID is of.
class PointerTypes final : public ctypes::TypeSource {
  public:
    static constexpr TypeId kInteger = TypeId{1} << 63, kPointer = TypeId{1} << 62;

    // `find_pointees` may find none: then there are but integers. It is asked when a script follows a pointer.
    PointerTypes(std::function<const ctypes::TypeSource *()> find_pointees, bool narrow)
        : find_pointees_(std::move(find_pointees)), narrow_(narrow) {}

    TypeInfo info(TypeId id) const override {
        if (id & kPointer) {
            TypeInfo info;
            info.kind = TypeKind::Pointer;
            info.size = narrow_ ? 4 : 8;
            info.target = id & ~kPointer;
            return info;
        }
        if (id & kInteger) {
            TypeInfo info = Integers::all().info(id & ~kInteger);
            if (info.size == 1) {
                info.encoding = ctypes::Encoding::SignedChar;
                info.name = "char";
            }
            return info;
        }
        return pointees() && id ? pointees()->info(id) : TypeInfo{};
    }
    std::vector<ctypes::Member> members(TypeId id) const override {
        return of_pointees(id) ? pointees()->members(id) : std::vector<ctypes::Member>{};
    }
    std::vector<ctypes::Enumerator> enumerators(TypeId id) const override {
        return of_pointees(id) ? pointees()->enumerators(id) : std::vector<ctypes::Enumerator>{};
    }
    std::vector<TypeId> parameters(TypeId id) const override {
        return of_pointees(id) ? pointees()->parameters(id) : std::vector<TypeId>{};
    }
    std::optional<TypeId> find_type(std::string_view name) const override {
        return pointees() ? pointees()->find_type(name) : std::nullopt;
    }

  private:
    const ctypes::TypeSource *pointees() const { return find_pointees_(); }
    bool of_pointees(TypeId id) const { return !(id & (kInteger | kPointer)) && pointees(); }

    std::function<const ctypes::TypeSource *()> find_pointees_;
    bool narrow_;
};

struct KnownInteger {
    std::string_view name;
    uint8_t size[2];  // of a 64-bit program, of a 32-bit one
    bool is_signed;
};
constexpr KnownInteger kKnownIntegers[] = {
    {"int", {4, 4}, true},
    {"unsigned int", {4, 4}, false},
    {"unsigned", {4, 4}, false},
    {"long", {8, 4}, true},
    {"unsigned long", {8, 4}, false},
    {"char", {1, 1}, true},
    {"size_t", {8, 4}, false},
    {"off_t", {8, 4}, true},
    {"loff_t", {8, 8}, true},
    {"umode_t", {2, 2}, false},
    {"pid_t", {4, 4}, true},
    {"uid_t", {4, 4}, false},
    {"gid_t", {4, 4}, false},
    {"qid_t", {4, 4}, false},
    {"old_uid_t", {2, 2}, false},
    {"old_gid_t", {2, 2}, false},
    {"key_t", {4, 4}, true},
    {"key_serial_t", {4, 4}, true},
    {"mqd_t", {4, 4}, true},
    {"timer_t", {4, 4}, true},
    {"rwf_t", {4, 4}, true},
    {"clockid_t", {4, 4}, true},
    {"aio_context_t", {8, 4}, false},
    {"u32", {4, 4}, false},
    {"__u32", {4, 4}, false},
    {"uint32_t", {4, 4}, false},
    {"s32", {4, 4}, true},
    {"__s32", {4, 4}, true},
    {"u64", {8, 8}, false},
    {"__u64", {8, 8}, false},
    {"compat_size_t", {4, 4}, false},
    {"compat_ssize_t", {4, 4}, true},
    {"compat_ulong_t", {4, 4}, false},
    {"compat_long_t", {4, 4}, true},
    {"compat_off_t", {4, 4}, true},
    {"compat_pid_t", {4, 4}, true},
    {"compat_uptr_t", {4, 4}, false},
    {"compat_aio_context_t", {4, 4}, false},
};

// Without "const" and "__user".
std::string plain_type(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        if (word != "const" && word != "__user" && !word.empty()) out += (out.empty() ? "" : " ") + std::string(word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

class SyscallScope final : public Scope {
  public:
    SyscallScope(const DebugInfo &debug, std::vector<SyscallArgument> arguments, bool narrow, bool at_return)
        : debug_(debug),
          arguments_(std::move(arguments)),
          narrow_(narrow),
          at_return_(at_return),
          types_([this] { return types_of_kernel(); }, narrow) {}
    SyscallScope(const SyscallScope &) = delete;
    SyscallScope &operator=(const SyscallScope &) = delete;

    std::vector<Variable> variables() const override {
        std::vector<Variable> list;
        for (const char *name : {"syscall", "return"})
            if (auto variable = find(name)) list.push_back(std::move(*variable));
        for (const SyscallArgument &argument : arguments_)
            if (auto variable = find(argument.name)) list.push_back(std::move(*variable));
        return list;
    }
    std::optional<Variable> find(std::string_view name) const override {
        if (name == "syscall") return make("syscall", integer(8, true), TAPIR_SYSCALL_NUMBER, false);
        if (name == "return" && at_return_) return make("return", integer(8, true), TAPIR_SYSCALL_RESULT, false);
        for (size_t i = 0; i < arguments_.size() && i < TAPIR_SYSCALL_ARGUMENTS; ++i)
            if (arguments_[i].name == name)
                return make(arguments_[i].name, type_of(arguments_[i].type),
                            TAPIR_SYSCALL_FIRST + static_cast<int64_t>(i), true);
        return std::nullopt;
    }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view name) const override {
        return whole() ? whole()->find_type(name) : std::nullopt;
    }
    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        return whole() ? whole()->find_enumerator(name) : std::nullopt;
    }
    std::optional<Variable> find_global(std::string_view name) const override {
        return whole() ? whole()->find_global(name) : std::nullopt;
    }
    std::optional<Anchor> anchor(uint64_t linked_address) const override {
        return whole() ? whole()->anchor(linked_address) : std::nullopt;
    }
    std::string source() const override { return "the kernel's headers"; }
    bool user() const override { return true; }

  private:
    static TypeId integer(uint32_t bytes, bool is_signed) {
        return PointerTypes::kInteger | Integers::id(bytes, is_signed);
    }

    Variable make(std::string name, TypeId type, int64_t number, bool parameter) const {
        Variable variable;
        variable.name = std::move(name);
        variable.type = {&types_, type};
        variable.place.kind = ctypes::Place::Kind::Value;
        variable.place.term = ctypes::argument_term(number);
        variable.parameter = parameter;
        return variable;
    }

    TypeId type_of(std::string_view written) const {
        const size_t star = written.find('*');
        const std::string name = plain_type(written.substr(0, star));
        const auto known = std::find_if(std::begin(kKnownIntegers), std::end(kKnownIntegers),
                                        [&](const KnownInteger &k) { return k.name == name; });
        TypeId id = integer(narrow_ ? 4 : 8, false);
        if (known != std::end(kKnownIntegers))
            id = integer(known->size[narrow_], known->is_signed);
        else if (star != std::string_view::npos)
            id = name == "void" ? 0 : types_.find_type(name).value_or(0);
        if (star == std::string_view::npos) return id;
        // The target of a pointer to a pointer is shown as a number.
        const bool twice = written.find('*', star + 1) != std::string_view::npos;
        return PointerTypes::kPointer | (twice ? integer(narrow_ ? 4 : 8, false) : id);
    }

    const Scope *whole() const {
        if (!looked_) whole_ = debug_.whole_scope("kernel");
        looked_ = true;
        return whole_.get();
    }
    const ctypes::TypeSource *types_of_kernel() const {
        // Any type has the source of all.
        const auto any = whole() ? whole()->find_type("int") : std::nullopt;
        return any ? any->source : nullptr;
    }

    const DebugInfo &debug_;
    std::vector<SyscallArgument> arguments_;
    bool narrow_, at_return_;
    mutable std::unique_ptr<Scope> whole_;
    mutable bool looked_ = false;
    PointerTypes types_;
};

}  // namespace

std::shared_ptr<const Scope> make_syscall_scope(const DebugInfo &debug, const std::vector<SyscallArgument> &arguments,
                                                bool narrow, bool at_return) {
    return std::make_shared<SyscallScope>(debug, arguments, narrow, at_return);
}

}  // namespace tapir::target
