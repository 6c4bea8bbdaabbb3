// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/places.h"

namespace tapir::server {

bool Places::take(bool of_all, const std::string &address) {
    const std::lock_guard lock(mutex_);
    const auto known = by_address_.find(address);
    const int count = known == by_address_.end() ? 0 : known->second;
    if ((of_all && service_.connections >= limits_.connections) || (!address.empty() && count >= limits_.per_address)) {
        ++service_.connections_refused;
        return false;
    }
    if (!address.empty()) ++by_address_[address];
    if (of_all) ++service_.connections;
    return true;
}

void Places::give_back(bool of_all, const std::string &address) {
    const std::lock_guard lock(mutex_);
    if (!address.empty() && --by_address_[address] == 0) by_address_.erase(address);
    if (of_all) --service_.connections;
}

}  // namespace tapir::server
