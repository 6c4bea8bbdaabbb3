// SPDX-License-Identifier: GPL-2.0-or-later
// Packages that have files, and those that have their debug symbols, as dpkg and apt know them.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::debuginfod {

// Calls `take` with each line, without its end.
template <typename Take>
void each_line(std::string_view text, const Take &take) {
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        take(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// The packages that have files, as one question: dpkg reads all its lists for each.
class FileOwners {
  public:
    void want(const std::string &path) { paths_.push_back(path); }
    void ask();
    // "" if no package has the file, nothing if that is not known.
    std::optional<std::string> of(const std::string &path) const;

  private:
    std::vector<std::string> paths_;
    std::map<std::string, std::string, std::less<>> owners_;
    bool known_ = false;
};

// The packages of debug symbols that apt knows, as one question: where it has no cache, it makes one for each.
class SymbolPackages {
  public:
    void want(const std::string &package) { packages_.push_back(package); }
    void ask();
    // "NAME-dbgsym", else "NAME-dbg"; "" if apt knows neither.
    std::string known(const std::string &package) const;
    // The same, else the name of the one of the archive debian-debug, with a remark.
    std::string of(const std::string &package) const;

  private:
    std::vector<std::string> packages_;
    std::set<std::string, std::less<>> known_;
};

}  // namespace tapir::debuginfod
