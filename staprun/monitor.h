// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The probes and globals of a session that was translated for --monitor: tells them as records, and does what another
 * program asks for: switches probes off and on, and gives globals their first values again.
 */
#pragma once

#include <tapir/wire.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "messages.h"
#include "module_control.h"
#include "record_lines.h"

namespace tapir::staprun {

class Monitor {
  public:
    using Add = std::function<void(const char *type, const RecordLines::Members &members)>;

    Monitor(Control &control, const tapir_ioc_hello &hello, Messages &messages);

    // The module was translated for it.
    static bool serves(const tapir_ioc_hello &hello) { return (hello.flags & TAPIR_HELLO_SWITCHES) != 0; }
    // The command is one of those that obey() does.
    static bool knows(std::string_view command);

    // Adds records of the probes of the script, and of its globals, as far as they changed since the last call.
    void tell(const std::vector<tapir_ioc_probe> &probes, const Add &add);
    // Does "probe INDEX on", "probe INDEX off", "probes on", "probes off", "reset NAME" or "reset", and adds records of
    // that. Warns of what cannot be done.
    void obey(const std::string &command, const Add &add);

    uint64_t module_bytes() const { return module_bytes_; }  // code and data; 0: not known
    uint64_t array_bytes() const;

  private:
    void tell_probe(const tapir_ioc_probe &probe, const Add &add);
    void tell_globals(const Add &add);
    void learn_globals();
    void switch_probes(const std::string &words, const Add &add);
    void switch_all(bool on, const Add &add);
    int switch_one(uint32_t index, bool on, const Add &add);
    void reset(const std::string &name, const Add &add);

    Control &control_;
    Messages &messages_;
    const uint32_t probes_, globals_;
    uint64_t module_bytes_ = 0;
    std::map<uint32_t, tapir_ioc_probe> told_;             // as they were told last, by index
    std::map<uint32_t, tapir_ioc_lock> monitored_, said_;  // globals, and as they were told last
    std::set<std::string> resettable_;
    bool learnt_ = false;
};

}  // namespace tapir::staprun
