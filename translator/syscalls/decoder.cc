// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/decoder.h"

#include <algorithm>
#include <charconv>

namespace tapir::syscalls {

namespace {

struct Scalar {
    std::string_view name;
    tapir_show_kind kind;
    uint8_t size[2];
};
constexpr Scalar kScalars[] = {
    {"char", TAPIR_SHOW_SIGNED, {1, 1}},     {"uchar", TAPIR_SHOW_UNSIGNED, {1, 1}},
    {"short", TAPIR_SHOW_SIGNED, {2, 2}},    {"ushort", TAPIR_SHOW_UNSIGNED, {2, 2}},
    {"int", TAPIR_SHOW_SIGNED, {4, 4}},      {"uint", TAPIR_SHOW_UNSIGNED, {4, 4}},
    {"long", TAPIR_SHOW_SIGNED, {8, 4}},     {"ulong", TAPIR_SHOW_UNSIGNED, {8, 4}},
    {"s64", TAPIR_SHOW_SIGNED, {8, 8}},      {"u64", TAPIR_SHOW_UNSIGNED, {8, 8}},
    {"fd", TAPIR_SHOW_SIGNED, {4, 4}},       {"pid", TAPIR_SHOW_SIGNED, {4, 4}},
    {"id", TAPIR_SHOW_SIGNED, {4, 4}},       {"size", TAPIR_SHOW_UNSIGNED, {8, 4}},
    {"pointer", TAPIR_SHOW_POINTER, {8, 4}},
};

// The meaning of a decoder's parameter.
enum class Operand : uint8_t { None, Type, Set, Other, Record, Decoder, Count, CountOrOther };

struct Kind {
    std::string_view name;
    tapir_show_kind kind;
    std::string_view type;  // of the value
    Operand first = Operand::None, second = Operand::None;
    unsigned required = 0;    // parameters
    bool field_only = false;  // begins right there in a structure
};
constexpr Kind kKinds[] = {
    {"none", TAPIR_SHOW_NONE, "int"},
    {"pad", TAPIR_SHOW_NONE, "int", Operand::Count, Operand::None, 1, true},
    {"hex", TAPIR_SHOW_HEX, "ulong", Operand::Type},
    {"octal", TAPIR_SHOW_OCTAL, "ushort", Operand::Type},
    {"mode", TAPIR_SHOW_MODE, "ushort", Operand::Type},
    {"flags", TAPIR_SHOW_FLAGS, "uint", Operand::Set, Operand::Type, 1},
    {"enum", TAPIR_SHOW_ENUM, "int", Operand::Set, Operand::Type, 1},
    {"dirfd", TAPIR_SHOW_DIRFD, "int"},
    {"signal", TAPIR_SHOW_SIGNAL, "int", Operand::Type},
    {"device", TAPIR_SHOW_DEVICE, "uint", Operand::Type},
    {"string", TAPIR_SHOW_STRING, "pointer"},
    {"bytes", TAPIR_SHOW_BYTES, "pointer", Operand::Other, Operand::None, 1},
    {"strings", TAPIR_SHOW_STRINGS, "pointer"},
    {"environment", TAPIR_SHOW_ENVIRONMENT, "pointer"},
    {"sigset", TAPIR_SHOW_SIGSET, "pointer", Operand::CountOrOther, Operand::None, 1},
    {"fdset", TAPIR_SHOW_FDSET, "pointer", Operand::Other, Operand::None, 1},
    {"sockaddr", TAPIR_SHOW_SOCKADDR, "pointer", Operand::Other, Operand::Set, 2},
    {"control", TAPIR_SHOW_CONTROL, "pointer", Operand::Other, Operand::None, 1},
    {"to", TAPIR_SHOW_TO, "pointer", Operand::Decoder, Operand::None, 1},
    {"struct", TAPIR_SHOW_STRUCT, "pointer", Operand::Record, Operand::None, 1},
    {"array", TAPIR_SHOW_ARRAY, "pointer", Operand::Decoder, Operand::CountOrOther, 2},
    {"text", TAPIR_SHOW_TEXT_HERE, "pointer", Operand::Count, Operand::None, 1, true},
    {"signals", TAPIR_SHOW_SIGSET_HERE, "pointer", Operand::Count, Operand::None, 1, true},
    {"record", TAPIR_SHOW_RECORD_HERE, "pointer", Operand::Record, Operand::None, 1, true},
    {"list", TAPIR_SHOW_ARRAY_HERE, "pointer", Operand::Decoder, Operand::Count, 2, true},
};

class ShowBuilder {
  public:
    ShowBuilder(const std::vector<Item> &items, bool here, const Table &table, Diagnostics &diagnostics,
                std::vector<Show> &shows)
        : items_(items), here_(here), table_(table), diagnostics_(diagnostics), shows_(shows) {}

    bool run() {
        shows_.resize(items_.size());
        // A choice looks at an item that it depends on, so that comes first.
        for (const bool choices : {false, true})
            for (size_t i = 0; i < items_.size(); ++i)
                if ((items_[i].decoder.name() == "choice") == choices) {
                    shows_[i] = build(items_[i].decoder, here_);
                    shows_[i].name = items_[i].label;
                }
        return good_;
    }

  private:
    bool fail(const SourceRef &at, std::string message) {
        diagnostics_.report(Tag::SyntaxError, at, std::move(message));
        return good_ = false;
    }

    Show build(const Decoder &decoder, bool here) {
        if (decoder.name() == "choice") return choice(decoder, here);
        if (std::optional<Show> show = scalar(decoder.name())) {
            if (!decoder.parameters.empty())
                fail(decoder.parameters[0].at, "'" + std::string(decoder.name()) + "' takes no parameters");
            return *show;
        }
        const auto kind =
            std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &k) { return k.name == decoder.name(); });
        if (kind == std::end(kKinds)) {
            fail(decoder.at, "no decoder of this name");
            return {};
        }
        Show show = *scalar(kind->type);
        show.kind = kind->kind;
        if (kind->field_only && !here) fail(decoder.at, "'" + std::string(kind->name) + "' is for structures");
        const size_t most = kind->second != Operand::None ? 2 : kind->first != Operand::None ? 1 : 0;
        if (decoder.parameters.size() < kind->required || decoder.parameters.size() > most) {
            fail(decoder.at, "'" + std::string(kind->name) + "' takes " + (most == kind->required ? "" : "at most ") +
                                 std::to_string(most) + (most == 1 ? " parameter" : " parameters"));
            return show;
        }
        for (size_t i = 0; i < decoder.parameters.size(); ++i)
            parameter(i ? kind->second : kind->first, decoder.parameters[i], show);
        return show;
    }

    void parameter(Operand what, const Decoder &given, Show &show) {
        switch (what) {
            case Operand::Type:
                if (const std::optional<Show> type = scalar(given.name()))
                    std::copy(std::begin(type->size), std::end(type->size), show.size);
                else
                    fail(given.at, "no type of this name");
                break;
            case Operand::Set:
                show.names = table_.names(given.name());
                if (!show.names || show.names->flags != (show.kind == TAPIR_SHOW_FLAGS))
                    fail(given.at, show.kind == TAPIR_SHOW_FLAGS ? "no flags of this name" : "no enum of this name");
                break;
            case Operand::Record:
                if (!(show.record = table_.record(given.name()))) fail(given.at, "no struct of this name");
                break;
            case Operand::Decoder:
                show.element = std::make_shared<Show>(build(given, true));
                break;
            case Operand::CountOrOther:
                if (!number(given.name())) {
                    other(given.at, show);
                    break;
                }
                [[fallthrough]];
            case Operand::Count: {
                const std::optional<uint64_t> n = number(given.name());
                if (!n || *n > UINT16_MAX)
                    fail(given.at, "expected a number");
                else
                    show.count = static_cast<uint16_t>(*n);
                break;
            }
            case Operand::Other:
                other(given.at, show);
                break;
            case Operand::None:
                break;
        }
    }

    bool other(const SourceRef &name, Show &show) {
        for (size_t i = 0; i < items_.size(); ++i)
            if (std::ranges::count(items_[i].names, name.text)) {
                show.other = static_cast<int>(i);
                return true;
            }
        return fail(name, here_ ? "no field of this name" : "no argument of this name");
    }

    Show choice(const Decoder &decoder, bool here) {
        Show show = *scalar("int");
        show.kind = TAPIR_SHOW_CHOICE;
        if (decoder.parameters.size() < 2) {
            fail(decoder.at, "'choice' takes what it depends on, cases, and what else to show");
            return show;
        }
        if (!other(decoder.parameters[0].at, show)) return show;
        const Show &selector = shows_[show.other];
        for (size_t i = 1; i < decoder.parameters.size(); ++i) {
            const Decoder &given = decoder.parameters[i];
            const bool last = i + 1 == decoder.parameters.size();
            if (given.cases.empty() != last) {
                fail(given.at, last ? "the last of a choice has no case" : "expected a case");
                return show;
            }
            const Show shown = build(given, here);
            for (const SourceRef &name : given.cases)
                if (const std::optional<Name> value = case_value(selector, name))
                    show.choices.push_back({value->value, given.bits ? value->value : value->mask, shown});
            if (last) show.choices.push_back({0, 0, shown});
        }
        for (int abi = 0; abi < 2; ++abi)
            show.size[abi] = static_cast<uint8_t>(std::min(size_of(show, abi), uint16_t{8}));
        return show;
    }

    // A value the selector may have, with the bits that count.
    std::optional<Name> case_value(const Show &selector, const SourceRef &name) {
        if (const std::optional<uint64_t> n = number(name.text)) return Name{*n, ~uint64_t{0}, {}};
        if (selector.names)
            for (const Name &known : selector.names->list)
                if (known.name == name.text)
                    return Name{known.value, known.mask == known.value ? ~uint64_t{0} : known.mask, known.name};
        fail(name, "not a value of what the choice depends on");
        return std::nullopt;
    }

    const std::vector<Item> &items_;
    bool here_;
    const Table &table_;
    Diagnostics &diagnostics_;
    std::vector<Show> &shows_;
    bool good_ = true;
};

}  // namespace

bool build_shows(const std::vector<Item> &items, bool here, const Table &table, Diagnostics &diagnostics,
                 std::vector<Show> &shows) {
    return ShowBuilder(items, here, table, diagnostics, shows).run();
}

uint16_t size_of(const Show &show, int abi) {
    switch (show.kind) {
        case TAPIR_SHOW_NONE:
        case TAPIR_SHOW_TEXT_HERE:
        case TAPIR_SHOW_SIGSET_HERE:
            return show.count;
        case TAPIR_SHOW_RECORD_HERE:
            return show.record ? show.record->size[abi] : 0;
        case TAPIR_SHOW_ARRAY_HERE:
            return static_cast<uint16_t>(show.count * size_of(*show.element, abi));
        case TAPIR_SHOW_CHOICE: {
            uint16_t most = 0;
            for (const Choice &choice : show.choices)
                most = std::max(most, size_of(choice.show, abi));
            return most;
        }
        default:
            return show.size[abi];
    }
}

uint16_t alignment_of(const Show &show, int abi) {
    const uint16_t word = abi ? 4 : 8;
    switch (show.kind) {
        case TAPIR_SHOW_NONE:
        case TAPIR_SHOW_TEXT_HERE:
            return 1;
        case TAPIR_SHOW_SIGSET_HERE:
            return word;
        case TAPIR_SHOW_RECORD_HERE:
            return show.record ? show.record->alignment[abi] : 1;
        case TAPIR_SHOW_ARRAY_HERE:
            return alignment_of(*show.element, abi);
        case TAPIR_SHOW_CHOICE: {
            uint16_t most = 1;
            for (const Choice &choice : show.choices)
                most = std::max(most, alignment_of(choice.show, abi));
            return most;
        }
        default:
            return std::min<uint16_t>(show.size[abi], word);
    }
}

void place(Show &show, int abi, uint16_t at) {
    show.at[abi] = at;
    for (Choice &choice : show.choices)
        place(choice.show, abi, at);
}

bool is_plain_number(tapir_show_kind kind) {
    return kind == TAPIR_SHOW_SIGNED || kind == TAPIR_SHOW_UNSIGNED || kind == TAPIR_SHOW_HEX ||
           kind == TAPIR_SHOW_OCTAL || kind == TAPIR_SHOW_POINTER || kind == TAPIR_SHOW_NONE;
}

std::optional<Show> scalar(std::string_view name) {
    for (const Scalar &type : kScalars)
        if (type.name == name) {
            Show show;
            show.kind = type.kind;
            std::copy(std::begin(type.size), std::end(type.size), show.size);
            return show;
        }
    return std::nullopt;
}

std::optional<uint64_t> number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text[0] == '0') {
        base = 8;
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return negative ? -value : value;
}

}  // namespace tapir::syscalls
