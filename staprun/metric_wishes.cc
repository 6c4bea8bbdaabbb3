// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric_wishes.h"

#include <cerrno>
#include <cstring>

namespace tapir::staprun {

void MetricWishes::learn() {
    constexpr std::string_view kWish = "__metric_";
    learnt_ = true;
    for (uint32_t i = 0; i < globals_; i++) {
        tapir_ioc_lock row = {};
        row.index = i;
        if (control_.lock(row) != 0) continue;
        std::string name(row.name, strnlen(row.name, sizeof row.name));
        if (name.starts_with(kWish)) wishes_.push_back(std::move(name));
    }
}

size_t MetricWishes::count() {
    if (!learnt_) learn();
    return wishes_.size();
}

int MetricWishes::ask() {
    if (!learnt_) learn();
    for (const std::string &wish : wishes_)
        if (const int error = control_.set_global(wish, "1")) return error;
    return 0;
}

}  // namespace tapir::staprun
