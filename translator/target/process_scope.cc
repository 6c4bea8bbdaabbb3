// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/process_scope.h"

#include "target/debug_info.h"
#include "target/integers.h"

namespace tapir::target {

namespace {

constexpr int kSystemCallArguments = 6;

class ProcessScope final : public Scope {
  public:
    ProcessScope(const DebugObject *program, SystemCall call) : program_(program) {
        if (call == SystemCall::None) return;
        add("syscall", false);
        if (call == SystemCall::Return) add("return", false);
        for (int i = 1; call == SystemCall::Entry && i <= kSystemCallArguments; ++i)
            add("arg" + std::to_string(i), true);
    }

    std::vector<Variable> variables() const override { return variables_; }
    std::optional<Variable> find(std::string_view name) const override { return find_variable(variables_, name); }
    std::optional<Variable> find_global(std::string_view name) const override {
        return whole() ? whole()->find_global(name) : std::nullopt;
    }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view name) const override {
        return whole() ? whole()->find_type(name) : std::nullopt;
    }
    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        return whole() ? whole()->find_enumerator(name) : std::nullopt;
    }
    std::optional<Anchor> anchor(uint64_t linked_address) const override {
        return whole() ? whole()->anchor(linked_address) : std::nullopt;
    }
    ThreadBlock thread_block() const override { return whole() ? whole()->thread_block() : Scope::thread_block(); }
    ctypes::Place measure(const ctypes::Type &type) const override {
        return whole() ? whole()->measure(type) : Scope::measure(type);
    }
    std::string missing() const override { return whole() ? whole()->missing() : ""; }
    std::string source() const override { return whole() ? whole()->source() : "the kernel's system calls"; }
    std::string module() const override { return program_ ? program_->module : ""; }
    bool user() const override { return true; }

  private:
    // As the kernel hands them over, one after the other.
    void add(std::string name, bool parameter) {
        Variable variable;
        variable.name = std::move(name);
        variable.type = {&Integers::all(), Integers::id(8, true)};
        variable.place.kind = ctypes::Place::Kind::Value;
        variable.place.term = ctypes::argument_term(static_cast<int64_t>(variables_.size()));
        variable.parameter = parameter;
        variables_.push_back(std::move(variable));
    }

    // Once a script takes something of the program, it depends on that very file.
    const Scope *whole() const {
        if (!whole_ && program_) whole_ = program_->index ? make_scope(*program_) : make_program_scope(*program_);
        return whole_.get();
    }

    const DebugObject *program_;  // or null
    mutable std::unique_ptr<Scope> whole_;
    std::vector<Variable> variables_;
};

}  // namespace

std::unique_ptr<Scope> make_process_scope(const DebugObject *program, SystemCall call) {
    if (!program && call == SystemCall::None) return nullptr;
    return std::make_unique<ProcessScope>(program, call);
}

}  // namespace tapir::target
