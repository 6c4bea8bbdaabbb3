// SPDX-License-Identifier: GPL-2.0-or-later
// Limits on connections: in all, and for each address.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "server/service.h"

namespace tapir::server {

struct PlaceLimits {
    int connections = 0, per_address = 0;
};

// Safe from any thread; outlives its Place objects.
class Places {
  public:
    // `service` counts the connections there are, and those that were refused.
    Places(const PlaceLimits &limits, Service &service) : limits_(limits), service_(service) {}

  private:
    friend class Place;
    bool take(bool of_all, const std::string &address);
    void give_back(bool of_all, const std::string &address);

    const PlaceLimits limits_;
    Service &service_;
    std::mutex mutex_;
    std::map<std::string, int> by_address_;
};

// Counts a connection while it lives: as one of all, as one of an address, or both.
class Place {
  public:
    // `address`: "" = of none.
    Place(Places &places, bool of_all, std::string address)
        : places_(places), of_all_(of_all), address_(std::move(address)), granted_(places_.take(of_all_, address_)) {}
    ~Place() {
        if (granted_) places_.give_back(of_all_, address_);
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    bool granted() const { return granted_; }

  private:
    Places &places_;
    const bool of_all_;
    const std::string address_;
    const bool granted_;
};

}  // namespace tapir::server
