// SPDX-License-Identifier: GPL-2.0-or-later
// A place of a program that has a name and no variables of the debug information: a mark, a PLT entry. Types and global
// variables are those of the whole program.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "target/debug_info.h"

namespace tapir::target {

class NamedPlaceScope : public Scope {
  public:
    // `object` must outlive it.
    NamedPlaceScope(const DebugObject &object, std::string name)
        : whole_(object.index ? make_scope(object) : make_program_scope(object)), name_(std::move(name)) {}

    std::vector<Variable> variables() const override { return {}; }
    std::optional<Variable> find(std::string_view) const override { return std::nullopt; }
    std::optional<Variable> find_global(std::string_view name) const override { return whole_->find_global(name); }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view name) const override { return whole_->find_type(name); }
    std::optional<int64_t> find_enumerator(std::string_view name) const override {
        return whole_->find_enumerator(name);
    }
    std::optional<Anchor> anchor(uint64_t linked_address) const override { return whole_->anchor(linked_address); }
    ThreadBlock thread_block() const override { return whole_->thread_block(); }
    ctypes::Place measure(const ctypes::Type &type) const override { return whole_->measure(type); }
    std::string source() const override { return whole_->source(); }
    std::string probe_name() const override { return name_; }
    std::string module() const override { return whole_->module(); }
    bool user() const override { return true; }

  private:
    std::unique_ptr<Scope> whole_;
    std::string name_;
};

}  // namespace tapir::target
