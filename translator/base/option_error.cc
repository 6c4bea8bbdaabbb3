// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/option_error.h"

#include <algorithm>

namespace po = boost::program_options;

namespace tapir {
namespace {

// Takes the place of the user's '%' while placeholders are replaced.
constexpr char kPercent = '\x01';

class Defused : public po::error_with_option_name {
  public:
    explicit Defused(const po::error_with_option_name &original) : po::error_with_option_name(original) {
        for (auto &[placeholder, text] : m_substitutions) {
            has_percent_ |= text.find('%') != std::string::npos;
            std::replace(text.begin(), text.end(), '%', kPercent);
        }
    }
    bool has_percent() const { return has_percent_; }

  private:
    bool has_percent_ = false;
};

}  // namespace

std::string option_error_text(const po::error &error) {
    const auto *named = dynamic_cast<const po::error_with_option_name *>(&error);
    if (!named) return error.what();
    const Defused defused(*named);
    // Only the original knows of further names that are meant ("ambiguous"); an option of ours has no '%'.
    if (!defused.has_percent()) return error.what();
    std::string text = defused.what();
    std::replace(text.begin(), text.end(), kPercent, '%');
    return text;
}

}  // namespace tapir
