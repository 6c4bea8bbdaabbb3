// SPDX-License-Identifier: GPL-2.0-or-later
// The file of --ledger.
#pragma once

#include <string>

#include "common/descriptor.h"
#include "session_ledger.h"

namespace tapir::staprun {

// Opened before the session, so that a file that cannot be written is known then, and written when it is over.
class LedgerFile {
  public:
    LedgerFile() = default;
    // Removes a file that open() created but write() never filled.
    ~LedgerFile();
    LedgerFile(const LedgerFile &) = delete;
    LedgerFile &operator=(const LedgerFile &) = delete;

    // Opens the file, but leaves its content alone until write(). A pipe is opened only then, because opening may wait
    // for its reader. Else SetUpFailed.
    Outcome<void> open(const std::string &path);
    // Does nothing without open(). Else SetUpFailed.
    Outcome<void> write(const Ledger &ledger);

  private:
    std::string path_;  // as the user named it; "" without one
    std::string made_;  // its absolute path, if it was not there before
    Descriptor file_;
};

}  // namespace tapir::staprun
