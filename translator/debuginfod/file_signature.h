// SPDX-License-Identifier: GPL-2.0-or-later
// Signatures that a build server makes of debug files: X-Tapir-Signature, as docs/signatures.md has them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "common/outcome.h"
#include "debuginfod/debug_cache.h"

namespace tapir::trust {
class Store;
}

namespace tapir::debuginfod {

// The signers whose signatures count.
class FileSigners {
  public:
    FileSigners();
    ~FileSigners();

    // `file`: certificates of signers, or of authorities of such, in PEM; without a signature of one of these no file
    // is taken. "": those of this machine's trust store, if there is one; files without a signature are taken. Else
    // StoreDamaged, or what else is wrong with the store.
    Outcome<void> load(const std::string &file);

    // Whether a file may be taken. `signature`: the header's value, "" = the answer has none. `path`: the file.
    Outcome<void> check(std::string_view signature, const std::string &path, FileKind kind,
                        const std::string &build_id) const;

  private:
    std::unique_ptr<trust::Store> store_;  // null: there is none
    std::string file_;
};

}  // namespace tapir::debuginfod
