// SPDX-License-Identifier: GPL-2.0-or-later
// Items of the queue, as the protocol of their destination has them.
#pragma once

#include <string>

#include "push/destination.h"
#include "push/disk_queue.h"

namespace tapir::push {

// `message`: of otlp_metrics().
Item metrics_item(const Destination &destination, std::string message);
// `pprof`: a file of pprof, gzip-compressed.
Item profile_item(const Destination &destination, const ProfileSpan &span, const std::string &host,
                  const std::string &pprof);

}  // namespace tapir::push
