// SPDX-License-Identifier: GPL-2.0-or-later
#include "merge/meaning.h"

#include <algorithm>
#include <iterator>

namespace tapir::merge {
namespace {

template <size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr std::string_view kKeys[] = {"name", "text", "id", "port", "number", "error", "address", "descriptor", "flag"};
constexpr std::string_view kTimes[] = {"ns", "us", "µs", "ms", "s"};
constexpr std::string_view kSizes[] = {"bytes", "B"};
constexpr std::string_view kMostWords[] = {"worst",   "most",    "max",     "maximum", "largest",
                                           "longest", "slowest", "highest", "peak",    "last"};
constexpr std::string_view kLeastWords[] = {"least",    "min",     "minimum", "smallest",
                                            "shortest", "fastest", "lowest",  "first"};

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

// "worst" of "worst_wait".
std::string_view first_word(std::string_view name) {
    return name.substr(0, name.find('_'));
}

bool is_percentile(std::string_view name) {
    if (name == "median") return true;
    return name.size() > 1 && name[0] == 'p' && name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool is_share(std::string_view unit) {
    return has(unit, "%") || unit.starts_with("0.");
}

bool is_of_all(std::string_view name, std::string_view subject) {
    return first_word(name) == "total" || subject.starts_with("all ") || has(subject, " all ") ||
           has(subject, "others") || subject.starts_with("those ");
}

// "a request", "the session", "its own"; but "turns without a processor" are many.
bool is_single(std::string_view subject) {
    const std::string_view word = subject.substr(0, subject.find(' '));
    return subject.empty() || word == "a" || word == "an" || word == "one" || word == "the" || word == "its" ||
           word.ends_with("ing");
}

}  // namespace

bool is_count(std::string_view unit) {
    return !is_one_of(unit, kKeys) && !is_one_of(unit, kTimes) && !is_one_of(unit, kSizes) && !is_share(unit);
}

Meaning meaning_of(std::string_view name, std::string_view unit, std::string_view subject) {
    if (is_one_of(unit, kKeys)) return Meaning::Key;
    if (is_percentile(name)) return Meaning::Bound;
    const std::string_view word = first_word(name);
    if (word == "average" || word == "avg" || word == "mean" || has(subject, "average")) return Meaning::Average;
    if (is_one_of(word, kMostWords) || subject.ends_with("at most")) return Meaning::Most;
    if (is_one_of(word, kLeastWords) || subject.ends_with("at least")) return Meaning::Least;
    if (is_share(unit)) return Meaning::Average;
    if (is_of_all(name, subject)) return Meaning::Sum;
    if (is_one_of(unit, kTimes) && is_single(subject)) return Meaning::Each;
    if (is_one_of(unit, kSizes) && !subject.empty() && is_single(subject)) return Meaning::Each;
    return Meaning::Sum;
}

std::string_view meaning_text(Meaning meaning) {
    constexpr std::string_view kTexts[] = {"key", "sum", "average", "least", "most", "percentile", "each"};
    return kTexts[static_cast<size_t>(meaning)];
}

}  // namespace tapir::merge
