// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of a session in a guest, for --record and pictures (-o NAME.html and the like). The guest throws away what it
// writes, so its staprun writes the capture to a directory that it shares with this machine, and stap-report runs here.
#pragma once

#include <optional>
#include <string>

#include "base/diagnostics.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "options/options.h"
#include "vm/vm_options.h"

namespace tapir::driver {

class GuestCapture {
  public:
    // For the run that `options` ask for, of a script with samples or without. Nothing is opened yet.
    GuestCapture(const Options &options, bool has_samples);

    // Makes the files and the directory; `inside` and `settings` become those of a run that writes the capture. False
    // after reporting why there can be none.
    bool prepare(Options &inside, vm::VmOptions &settings, Diagnostics &diagnostics);
    // After the run, which ended with `status`: puts the capture, and the picture of it, where the user wants them. The
    // exit status.
    int finish(int status);

  private:
    bool wanted() const { return draws_ || !options_.record.empty(); }
    int keep(int capture) const;
    int draw(int capture) const;

    const Options &options_;
    bool draws_;
    std::string picture_;  // its file
    Descriptor record_;    // the file of --record
    std::optional<TemporaryDirectory> directory_;
};

}  // namespace tapir::driver
