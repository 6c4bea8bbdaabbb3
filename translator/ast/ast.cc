// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/ast.h"

#include <tapir/hist_shape.h>

#include <algorithm>

namespace tapir::ast {

std::string_view type_name(Type type) {
    switch (type) {
        case Type::Unknown:
            return "unknown";
        case Type::Void:
            return "void";
        case Type::Long:
            return "long";
        case Type::String:
            return "string";
        case Type::Stat:
            return "stat";
    }
    return "unknown";
}

std::string_view stat_op_name(StatOpKind op) {
    switch (op) {
        case StatOpKind::Count:
            return "@count";
        case StatOpKind::Sum:
            return "@sum";
        case StatOpKind::Min:
            return "@min";
        case StatOpKind::Max:
            return "@max";
        case StatOpKind::Avg:
            return "@avg";
        case StatOpKind::Variance:
            return "@variance";
        case StatOpKind::Percentile:
            return "@percentile";
        case StatOpKind::Median:
            return "@median";
    }
    return "";
}

std::string Hist::measure() const {
    return subject.empty() ? *unit : *unit + " of " + subject;
}

uint32_t HistShape::buckets() const {
    switch (kind) {
        case Kind::Log:
            break;
        case Kind::Linear:
            return static_cast<uint32_t>(tapir_linear_buckets(low, high, width));
        case Kind::LogLinear:
            return static_cast<uint32_t>(tapir_loglinear_all_buckets(low, high, width));
    }
    return TAPIR_HIST_LOG_BUCKETS;
}

bool Index::has_wildcard() const {
    return std::any_of(keys.begin(), keys.end(), [](const ExprPtr &key) { return !key; });
}

}  // namespace tapir::ast
