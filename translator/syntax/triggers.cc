// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/triggers.h"

#include <tapir/items.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include "base/help.h"
#include "base/name_patterns.h"
#include "grammar.hh"
#include "syntax/parser.h"
#include "syntax/printf_format.h"

namespace tapir::syntax {

using T = Grammar::token;
using Flag = ast::FormatPiece::Flag;
using Conv = ast::FormatPiece::Conv;

namespace {

constexpr size_t kLongestOwnName = 32, kLongestText = 512;
constexpr size_t kMostValues = TAPIR_ITEM_ARGS - TAPIR_TRIGGER_ARGS;
constexpr char kAfter[] = "__after_";

std::string own_name(const Token *token) {
    return token->kind == T::STRING ? token->value : std::string(token->ref.text);
}

// It becomes a part of a global's name.
void check_name(Diagnostics &diagnostics, Tag tag, const Token *token, const char *what) {
    const std::string name = own_name(token);
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (name.empty() || name.size() > kLongestOwnName || !std::ranges::all_of(name, is_letter))
        diagnostics.report(tag, token->ref,
                           std::string("the name of ") + what + " has 1 to 32 letters, digits and underscores");
}

ast::ExprPtr number(const SourceRef &at, int64_t value) {
    return std::make_unique<ast::Number>(at, value);
}

ast::ExprPtr call(const SourceRef &at, const char *function, std::vector<ast::ExprPtr> arguments = {}) {
    return std::make_unique<ast::Call>(at, function, std::move(arguments));
}

template <typename... Values>
std::vector<ast::ExprPtr> list(Values &&...values) {
    std::vector<ast::ExprPtr> all;
    (all.push_back(std::move(values)), ...);
    return all;
}

// Returns `text` as a number above 0 with one of these units behind it.
struct Unit {
    std::string_view name;
    int64_t ns;
};
std::optional<std::pair<int64_t, int64_t>> number_and_unit(std::string_view text, std::span<const Unit> units) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value <= 0) return {};
    const std::string_view rest = text.substr(static_cast<size_t>(end - text.data()));
    for (const Unit &unit : units)
        if (rest == unit.name) return std::pair{value, unit.ns};
    return {};
}

constexpr int64_t kSecond = 1000000000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr Unit kTimes[] = {{"ns", 1},      {"us", 1000},     {"ms", 1000000}, {"s", kSecond},
                           {"m", kMinute}, {"min", kMinute}, {"h", kHour}};
constexpr Unit kRates[] = {{"/s", kSecond}, {"/m", kMinute}, {"/min", kMinute}, {"/h", kHour}, {"/d", kDay}};

// The conversions of a format that a reader makes text of.
std::vector<ast::FormatPiece> read_format(const ast::String &text, Diagnostics &diagnostics, Tag tag, bool has_texts) {
    std::vector<ast::FormatPiece> pieces;
    std::string complaint = parse_format(text.value, pieces);
    if (complaint.empty() && text.value.size() > kLongestText) complaint = "this text is longer than 512 bytes";
    if (complaint.empty() && text.value.find('\n') != std::string::npos)
        complaint = "this text is part of one line, and has no newline";
    for (const ast::FormatPiece &piece : pieces) {
        if (!complaint.empty()) break;
        if (piece.width_from_arg || piece.precision_from_arg || piece.width.value_or(0) > 64 ||
            piece.precision.value_or(0) > 64)
            complaint = "a width or precision here is a number of at most 64";
        else if (piece.conv == Conv::MemoryRaw || piece.conv == Conv::MemoryHex || piece.conv == Conv::Binary)
            complaint = "%m, %M and %b have no use here";
        else if (piece.conv == Conv::String && !has_texts)
            complaint = "an event has room for numbers only: %d, %u, %x, %p, %c";
    }
    if (complaint.empty()) return pieces;
    diagnostics.report(tag, text.at, complaint);
    return {};
}

size_t conversions(const std::vector<ast::FormatPiece> &pieces) {
    return static_cast<size_t>(
        std::ranges::count_if(pieces, [](const auto &piece) { return piece.conv != Conv::Literal; }));
}

ast::FormatPiece piece(Conv conv, Flag flag = Flag::None, std::string literal = {}) {
    ast::FormatPiece made;
    made.conv = conv;
    made.flag = flag;
    made.literal = std::move(literal);
    return made;
}

std::string counted(size_t count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

class TriggerMaker {
  public:
    TriggerMaker(ast::File &file, Diagnostics &diagnostics, const Token *keyword, const Token *name)
        : file_(file), diagnostics_(diagnostics), at_(keyword->ref), name_(own_name(name)), name_at_(name->ref) {}

    std::unique_ptr<ast::If> make(TriggerParts parts) {
        take_named(parts.values);
        auto made = std::make_unique<ast::If>(at_);
        auto block = std::make_unique<ast::Block>(at_);
        made->cond = std::make_unique<ast::Logical>(at_, true, condition(parts), fires(parts));
        add(*block, record(parts));
        add(*block, recalled());
        if (parts.more) block->body.push_back(std::move(parts.more));
        file_.triggers.push_back({name_at_, name_, block.get()});
        made->then_stmt = std::move(block);
        return made;
    }

  private:
    Diagnostic &report(const SourceRef &at, const std::string &text) {
        return diagnostics_.report(Tag::TriggerArgument, at, text);
    }

    // thread = ID and cpu = NUMBER are assignments to the grammar.
    void take_named(std::vector<ast::ExprPtr> &values) {
        for (ast::ExprPtr &value : values) {
            if (value->kind != ast::ExprKind::Assign) continue;
            auto &assign = static_cast<ast::Assign &>(*value);
            if (assign.op != ast::AssignOp::Set || assign.target->kind != ast::ExprKind::VarRef) continue;
            const std::string &name = static_cast<const ast::VarRef &>(*assign.target).name;
            if (name != "thread" && name != "cpu") {
                add_help(report(value->at, "a trigger has no argument '" + name + "'"),
                         "it has for=, limit=, thread= and cpu=");
                continue;
            }
            (name == "cpu" ? cpu_ : thread_) = std::move(assign.value);
        }
        std::erase_if(values, [](const ast::ExprPtr &value) {
            return value->kind == ast::ExprKind::Assign && !static_cast<const ast::Assign &>(*value).value;
        });
    }

    // Names are known by a number. FNV-1a; the runtime does without the lowest bit.
    ast::ExprPtr number_of_name() const {
        uint64_t hash = 0xcbf29ce484222325u;
        for (const char c : name_)
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        return number(at_, static_cast<int64_t>(hash >> 1));
    }

    ast::ExprPtr condition(TriggerParts &parts) {
        if (parts.values.empty()) {
            add_help(report(at_, "a trigger needs a condition"), "@trigger(" + name_ + ", CONDITION, ...)");
            return number(at_, 0);
        }
        ast::ExprPtr condition = std::move(parts.values.front());
        parts.values.erase(parts.values.begin());
        if (!parts.held) return condition;
        if (parts.held->kind == ast::ExprKind::String) {
            const auto &text = static_cast<const ast::String &>(*parts.held);
            const auto time = number_and_unit(text.value, kTimes);
            if (!time || time->first > std::numeric_limits<int64_t>::max() / time->second)
                add_help(report(text.at, "'" + text.value + "' is not a time"),
                         "for=\"5s\"; units are ns, us, ms, s, m and h; a number without a text is in ns");
            else
                parts.held = number(text.at, time->first * time->second);
        }
        // A truth value, as a condition is.
        ast::ExprPtr truth = std::make_unique<ast::Logical>(condition->at, true, std::move(condition), number(at_, 1));
        return call(at_, "__trigger_held", list(number_of_name(), truth, parts.held));
    }

    ast::ExprPtr fires(TriggerParts &parts) {
        ast::ExprPtr limit = number(at_, 0), window = number(at_, 0);
        if (parts.limit && parts.limit->kind == ast::ExprKind::String) {
            const auto &text = static_cast<const ast::String &>(*parts.limit);
            const auto rate = number_and_unit(text.value, kRates);
            if (!rate || rate->first > 1000000)
                add_help(report(text.at, "'" + text.value + "' is not a limit"),
                         "limit=\"10/h\"; units are s, m, h and d; a number without a text is for the whole session");
            else
                limit = number(text.at, rate->first), window = number(text.at, rate->second);
        } else if (parts.limit) {
            limit = std::move(parts.limit);
        }
        ast::ExprPtr name = std::make_unique<ast::String>(at_, name_);
        return call(at_, "__trigger_fires", list(number_of_name(), name, limit, window));
    }

    ast::ExprPtr record(TriggerParts &parts) {
        auto print = std::make_unique<ast::Print>(at_);
        print->name = "@trigger";
        print->formatted = true;
        print->event = ast::Print::Event::Trigger;
        print->event_name = name_;
        print->pieces.push_back(piece(Conv::Literal, Flag::Trigger, name_ + '\0'));
        print->pieces.push_back(piece(Conv::String));
        for (size_t i = 1; i < TAPIR_TRIGGER_ARGS; i++)
            print->pieces.push_back(piece(Conv::Decimal));
        print->args = list(call(at_, "execname"), call(at_, "pid"), call(at_, "tid"), call(at_, "gettimeofday_ns"),
                           call(at_, "__trigger_suppressed", list(number_of_name())));
        if (!parts.values.empty()) add_text(*print, parts.values);
        return print;
    }

    void add_text(ast::Print &print, std::vector<ast::ExprPtr> &values) {
        if (values.front()->kind != ast::ExprKind::String) {
            add_help(report(values.front()->at, "behind the condition stands a literal format string"),
                     "@trigger(" + name_ + ", CONDITION, \"%d us\", TIME)");
            return;
        }
        const auto &text = static_cast<const ast::String &>(*values.front());
        const std::vector<ast::FormatPiece> pieces = read_format(text, diagnostics_, Tag::TriggerArgument, true);
        const size_t given = values.size() - 1, wanted = conversions(pieces);
        if (!pieces.empty() && given != wanted)
            report(text.at, "this format prints " + counted(wanted, "value") + ", and there " +
                                (given == 1 ? "is " : "are ") + std::to_string(given));
        if (given > kMostValues) report(text.at, "a trigger prints " + counted(kMostValues, "value") + " at most");
        print.format = text.value;
        print.pieces.insert(print.pieces.end(), pieces.begin(), pieces.end());
        for (size_t i = 1; i < values.size(); i++)
            print.args.push_back(std::move(values[i]));
    }

    ast::ExprPtr recalled() {
        auto print = std::make_unique<ast::Print>(at_);
        print->name = "@trigger";
        print->formatted = true;
        print->event = ast::Print::Event::Recalled;
        print->args.push_back(thread_ ? std::move(thread_) : number(at_, -1));
        print->args.push_back(cpu_ ? std::move(cpu_) : number(at_, -1));
        return print;
    }

    void add(ast::Block &block, ast::ExprPtr expr) {
        block.body.push_back(std::make_unique<ast::ExprStmt>(at_, std::move(expr)));
    }

    ast::File &file_;
    Diagnostics &diagnostics_;
    const SourceRef at_;
    const std::string name_;
    const SourceRef name_at_;
    ast::ExprPtr thread_, cpu_;
};

}  // namespace

std::unique_ptr<ast::If> make_trigger(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                      const Token *name, TriggerParts parts, std::string text) {
    check_name(diagnostics, Tag::TriggerArgument, name, "a trigger");
    const auto same = [&](const ast::Trigger &other) { return other.name == own_name(name); };
    if (std::ranges::any_of(file.triggers, same))
        add_help(
            diagnostics.report(Tag::TriggerTwice, name->ref, "there is a trigger '" + own_name(name) + "' already"),
            "a function that several probes call may have it");
    if (file.triggers.size() == TAPIR_TRIGGERS)
        diagnostics.report(Tag::TriggerTwice, name->ref, "a script has 64 triggers at most");
    std::unique_ptr<ast::If> made = TriggerMaker(file, diagnostics, keyword, name).make(std::move(parts));
    made->written = std::move(text);
    return made;
}

ast::ExprPtr make_after(ast::File &file, const Token *keyword, const Token *name) {
    file.after.push_back({name->ref, own_name(name)});
    return std::make_unique<ast::VarRef>(keyword->ref, kAfter + own_name(name));
}

void connect_triggers(ast::File &file, Diagnostics &diagnostics) {
    std::vector<std::string> done;
    for (const ast::AfterTrigger &after : file.after) {
        if (std::ranges::find(done, after.name) != done.end()) continue;
        done.push_back(after.name);
        const auto trigger = std::ranges::find(file.triggers, after.name, &ast::Trigger::name);
        if (trigger == file.triggers.end()) {
            std::vector<std::string> names;
            for (const ast::Trigger &one : file.triggers)
                names.push_back(one.name);
            add_help(diagnostics.report(Tag::TriggerUnknown, after.at,
                                        "the script has no trigger '" + after.name + "'" +
                                            similar_text(similar_names(after.name, names))),
                     "@trigger(" + after.name + ", CONDITION) in a handler makes one");
            continue;
        }
        auto variable = std::make_unique<ast::Variable>();
        variable->name = kAfter + after.name;
        variable->at = after.at;
        variable->scope = ast::Variable::Scope::Global;
        variable->init = number(after.at, 0);
        file.globals.push_back(std::move(variable));
        auto assign = std::make_unique<ast::Assign>(trigger->at, ast::AssignOp::Set,
                                                    std::make_unique<ast::VarRef>(trigger->at, kAfter + after.name),
                                                    number(trigger->at, 1));
        trigger->fired->body.push_back(std::make_unique<ast::ExprStmt>(trigger->at, std::move(assign)));
    }
}

std::unique_ptr<ast::Print> make_recall(ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                        const Token *name, const Token *events, std::vector<ast::ExprPtr> values) {
    const auto report = [&](const SourceRef &at, const std::string &text) -> Diagnostic & {
        return diagnostics.report(Tag::RecallArgument, at, text);
    };
    auto print = std::make_unique<ast::Print>(keyword->ref);
    const bool of_cpu = keyword->ref.text == "@recall_cpu";
    print->name = keyword->ref.text;
    print->formatted = true;
    print->event = of_cpu ? ast::Print::Event::RecallOfCpu : ast::Print::Event::Recall;
    print->event_name = own_name(name);
    check_name(diagnostics, Tag::RecallArgument, name, "a ring");
    if (events->number < 1 || events->number > int64_t{TAPIR_RECALL_MOST})
        report(events->ref, "a ring keeps 1 to 1024 events");
    print->events = static_cast<uint32_t>(std::clamp<int64_t>(events->number, 1, TAPIR_RECALL_MOST));
    const ast::Ring ring{name->ref, print->event_name, print->events, of_cpu};
    const auto same = std::ranges::find(file.rings, ring.name, &ast::Ring::name);
    if (same == file.rings.end())
        file.rings.push_back(ring);
    else if (same->of_cpu != of_cpu)
        add_help(diagnostics.report(
                     Tag::RecallDiffers, name->ref,
                     "the ring '" + ring.name + "' is " + (same->of_cpu ? "a CPU's" : "a thread's") + " elsewhere"),
                 "@recall and @recall_cpu write to rings of different names");
    else if (same->events != ring.events)
        add_help(diagnostics.report(
                     Tag::RecallDiffers, events->ref,
                     "the ring '" + ring.name + "' keeps " + std::to_string(same->events) + " events elsewhere"),
                 "all @recall of a ring name the same number");
    if (values.front()->kind != ast::ExprKind::String) {
        add_help(report(values.front()->at, "behind the number of events stands a literal format string"),
                 print->name + "(" + ring.name + ", " + std::to_string(ring.events) + ", \"read %d bytes\", BYTES)");
        return print;
    }
    const auto &text = static_cast<const ast::String &>(*values.front());
    print->format = text.value;
    const std::vector<ast::FormatPiece> pieces = read_format(text, diagnostics, Tag::RecallArgument, false);
    const size_t given = values.size() - 1, wanted = conversions(pieces);
    if (wanted > TAPIR_RECALL_VALUES)
        report(text.at, "an event has room for 3 numbers");
    else if (given != wanted && !pieces.empty())
        report(text.at, "this format prints " + counted(wanted, "value") + ", and there " +
                            (given == 1 ? "is " : "are ") + std::to_string(given));
    else
        print->pieces = pieces;
    values.erase(values.begin());
    print->args = std::move(values);
    if (print->pieces.empty() && !print->format.empty()) print->args.clear();
    return print;
}

}  // namespace tapir::syntax
