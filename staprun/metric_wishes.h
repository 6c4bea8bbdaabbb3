// SPDX-License-Identifier: GPL-2.0-or-later
// Asks a module that was translated for --metrics for the values of its metrics. They come as records.
#pragma once

#include <tapir/wire.h>

#include <string>
#include <vector>

#include "module_control.h"

namespace tapir::staprun {

class MetricWishes {
  public:
    MetricWishes(Control &control, const tapir_ioc_hello &hello) : control_(control), globals_(hello.globals) {}

    // How many metrics the module has.
    size_t count();
    // Has each metric print its value soon, while the session runs. Returns 0 or errno.
    int ask();

  private:
    void learn();

    Control &control_;
    const uint32_t globals_;
    std::vector<std::string> wishes_;  // numbers of the module that are set to 1
    bool learnt_ = false;
};

}  // namespace tapir::staprun
