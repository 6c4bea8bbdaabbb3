// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/diagnostics.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace tapir {

namespace {

struct TagInfo {
    Severity severity;
    Stage stage;
};

constexpr TagInfo tag_table[] = {
#define TAPIR_DIAGNOSTIC(name, severity, stage) {Severity::severity, Stage::stage},
#include "base/diagnostic_tags.def"
#undef TAPIR_DIAGNOSTIC
};

const TagInfo &info(Tag tag) {
    return tag_table[static_cast<size_t>(tag)];
}

}  // namespace

Severity tag_severity(Tag tag) {
    return info(tag).severity;
}
Stage tag_stage(Tag tag) {
    return info(tag).stage;
}

Diagnostic &Diagnostics::report(Tag tag, const SourceRef &at, std::string message) {
    Severity severity = tag_severity(tag);
    if (severity == Severity::Warning && warnings_as_errors_ && !suppress_warnings_) severity = Severity::Error;
    auto diagnostic = std::make_unique<Diagnostic>(Diagnostic{tag, std::move(message), at, {}, severity});
    if (severity == Severity::Warning && suppress_warnings_) {
        dropped_ = std::move(diagnostic);
        return *dropped_;
    }
    return *all_.emplace_back(std::move(diagnostic));
}

std::vector<std::unique_ptr<Diagnostic>> Diagnostics::take_since(size_t mark) {
    const auto first = all_.begin() + static_cast<std::ptrdiff_t>(mark);
    std::vector<std::unique_ptr<Diagnostic>> taken(std::make_move_iterator(first), std::make_move_iterator(all_.end()));
    all_.erase(first, all_.end());
    return taken;
}

void Diagnostics::add(std::vector<std::unique_ptr<Diagnostic>> taken) {
    std::move(taken.begin(), taken.end(), std::back_inserter(all_));
}

size_t Diagnostics::error_count() const {
    return static_cast<size_t>(
        std::count_if(all_.begin(), all_.end(), [](const auto &d) { return d->severity == Severity::Error; }));
}

size_t Diagnostics::error_count(Stage stage) const {
    return static_cast<size_t>(std::count_if(all_.begin(), all_.end(), [stage](const auto &d) {
        return d->severity == Severity::Error && tag_stage(d->tag) == stage;
    }));
}

}  // namespace tapir
