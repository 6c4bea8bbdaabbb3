// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/metric_text.h"

namespace tapir::server {

std::string metric_text(const std::string &name, const std::string &kind, const std::string &help, uint64_t value) {
    return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + kind + "\n" + name + " " + std::to_string(value) +
           "\n";
}

}  // namespace tapir::server
