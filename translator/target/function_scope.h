// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of probes at no place in a program, which functions of the tapset library read and write.
#pragma once

#include <string>
#include <vector>

#include "target/scope.h"

namespace tapir::target {

class FunctionScope : public Scope {
  public:
    explicit FunctionScope(std::vector<FunctionVariable> variables) : variables_(std::move(variables)) {}

    std::vector<Variable> variables() const override { return {}; }
    std::optional<Variable> find(std::string_view) const override { return std::nullopt; }
    std::optional<ctypes::Type> result() const override { return std::nullopt; }
    std::optional<ctypes::Type> find_type(std::string_view) const override { return std::nullopt; }
    std::optional<int64_t> find_enumerator(std::string_view) const override { return std::nullopt; }
    std::optional<Anchor> anchor(uint64_t) const override { return std::nullopt; }
    std::string source() const override { return "the kind of probe"; }
    std::string missing() const override {
        std::string text = "there is";
        for (const FunctionVariable &variable : variables_)
            text += (&variable == &variables_.front() ? " $" : ", $") + variable.name;
        return text + " at this probe";
    }
    const FunctionVariable *by_function(std::string_view name) const override {
        for (const FunctionVariable &variable : variables_)
            if (variable.name == name) return &variable;
        return nullptr;
    }

  private:
    std::vector<FunctionVariable> variables_;
};

}  // namespace tapir::target
