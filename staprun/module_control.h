// SPDX-License-Identifier: GPL-2.0-or-later
// The module's control file as staprun sees it: one function per ioctl of tapir/wire.h. Each returns 0 or errno.
#pragma once

#include <tapir/wire.h>

#include <memory>
#include <string>

#include "caller.h"
#include "common/outcome.h"

namespace tapir::staprun {

class Control {
  public:
    virtual ~Control() = default;

    virtual int hello(tapir_ioc_hello &out) = 0;
    virtual int config(const tapir_ioc_config &in) = 0;
    virtual int set_global(const std::string &name, const std::string &value) = 0;
    virtual int symbol_get(tapir_ioc_symbol &inout) = 0;
    virtual int symbol_set(const tapir_ioc_symbol &in) = 0;
    virtual int object(tapir_ioc_object &inout) = 0;
    virtual int format(tapir_ioc_format &inout) = 0;
    virtual int program_get(tapir_ioc_program &inout) = 0;
    virtual int program_set(const tapir_ioc_program &in) = 0;
    virtual int cgroup(const tapir_ioc_cgroup &in) = 0;
    virtual int budget(const tapir_ioc_budget &in) = 0;
    virtual int start() = 0;
    virtual int stop() = 0;
    virtual int interrupt() = 0;
    virtual int detach() = 0;
    virtual int snapshot(tapir_ioc_snapshot &out) = 0;
    virtual int read(tapir_ioc_read &inout) = 0;
    virtual int probe(tapir_ioc_probe &inout) = 0;
    virtual int switch_probe(const tapir_ioc_switch &in) = 0;
    virtual int stream(tapir_ioc_stream &inout) = 0;
    virtual int status(tapir_ioc_status &out) = 0;
    virtual int calls(tapir_ioc_calls &out) = 0;
    virtual int cut(tapir_ioc_cut &out) = 0;
    virtual int stacks(tapir_ioc_stacks &out) = 0;
    virtual int bulk(tapir_ioc_bulk &inout) = 0;
    virtual int profile(tapir_ioc_profile &out) = 0;
    virtual int lock(tapir_ioc_lock &inout) = 0;
    virtual int unwind_want(tapir_ioc_unwind_want &out) = 0;
    virtual int unwind_put(const tapir_ioc_unwind_put &in) = 0;
    virtual int unwind_process(const tapir_ioc_unwind_process &in) = 0;
    virtual int unwind_file(const tapir_ioc_unwind_file &in) = 0;
    virtual int interpreter(tapir_ioc_interpreter &inout) = 0;
    virtual int put_interpreter(const tapir_ioc_put_interpreter &in) = 0;
    virtual int unknown_interpreter(tapir_ioc_unknown_interpreter &inout) = 0;
    virtual int unwind_count(tapir_ioc_unwind_count &out) = 0;
    virtual int frames(tapir_ioc_frames &inout) = 0;
    // For poll(); readable as wire.h says.
    virtual int descriptor() const = 0;
};

// /proc/tapir-<name>/control of a loaded module, as this caller may open it: a module belongs to the user who inserted
// it, and only root opens others'. Else NotLoaded, SessionBusy, NotOwn (another user's) or ControlFailed.
Outcome<std::unique_ptr<Control>> open_control(const std::string &name, const Caller &caller);

// The words for an error of Control::set_global().
std::string why_not_set(int error);

std::string control_path(const std::string &name);

}  // namespace tapir::staprun
