// SPDX-License-Identifier: GPL-2.0-or-later
#include "finding.h"

namespace tapir::trust {

const char *tag(Fault fault) {
    switch (fault) {
#define FAULT(name, tag) \
    case Fault::name:    \
        return tag;
#include "finding.def"
#undef FAULT
    }
    return "";
}

}  // namespace tapir::trust
