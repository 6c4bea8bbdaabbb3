// SPDX-License-Identifier: GPL-2.0-or-later
// The module of a session.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "common/plain_text.h"
#include "loader.h"
#include "messages.h"

namespace tapir::staprun {

// Removes the module at the end of its life.
class LoadedModule {
  public:
    explicit LoadedModule(Messages &messages) : messages_(messages) {}
    ~LoadedModule() { remove(); }
    LoadedModule(const LoadedModule &) = delete;
    LoadedModule &operator=(const LoadedModule &) = delete;

    void own(const std::string &name) { name_ = name; }
    void leave() { name_.clear(); }
    void remove() {
        if (name_.empty()) return;
        int error = remove_module(name_, kPatienceMs);
        if (error && error != ENOENT)
            messages_.error(format("Couldn't remove module '%s': %s; 'staprun -d %s' tries again", name_.c_str(),
                                   strerror(error), name_.c_str()));
        name_.clear();
    }

  private:
    static constexpr unsigned kPatienceMs = 5000;

    Messages &messages_;
    std::string name_;
};

}  // namespace tapir::staprun
