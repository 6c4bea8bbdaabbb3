// SPDX-License-Identifier: GPL-2.0-or-later
// Colors of messages on terminals, common to all programs.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tapir {

enum class Coloring : unsigned char { Never, Auto, Always };

class Colors {
  public:
    // None.
    Colors() = default;
    // As the user wants them for what is written to `fd`. Auto is for terminals that know colors, unless $NO_COLOR is
    // set to something. $SYSTEMTAP_COLORS, "error=01;31:warning=00;33:source=00;34:caret=01:token=01", replaces the
    // colors it names, "caret=" by none; when it is empty or not of this form there are none at all. Messages for
    // people add "help=01:answer=01:done=32:dim=02", too.
    Colors(Coloring when, int fd);

    explicit operator bool() const { return !codes_.empty(); }
    // `text` in the color of `key`; as it is when that has none.
    std::string paint(std::string_view key, std::string_view text) const;

  private:
    std::map<std::string, std::string, std::less<>> codes_;
};

}  // namespace tapir
