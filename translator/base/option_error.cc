// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/option_error.h"

#include <algorithm>
#include <cctype>

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

// Boost calls an option of one letter '--e'; users type '-e'. Names that Boost does not know stay as they were typed.
std::string with_short_names(const po::error &error, std::string text) {
    if (dynamic_cast<const po::unknown_option *>(&error) || dynamic_cast<const po::ambiguous_option *>(&error))
        return text;
    for (size_t at = 0; (at = text.find("'--", at)) != std::string::npos; at += 3)
        if (at + 4 < text.size() && text[at + 4] == '\'' && std::isalpha(static_cast<unsigned char>(text[at + 3])))
            text.erase(at + 1, 1);
    return text;
}

}  // namespace

std::string option_error_text(const po::error &error) {
    const auto *named = dynamic_cast<const po::error_with_option_name *>(&error);
    if (!named) return with_short_names(error, error.what());
    const Defused defused(*named);
    // Only the original knows of further names that are meant ("ambiguous"); an option of ours has no '%'.
    if (!defused.has_percent()) return with_short_names(error, error.what());
    std::string text = defused.what();
    std::replace(text.begin(), text.end(), kPercent, '%');
    return with_short_names(error, std::move(text));
}

}  // namespace tapir
