// SPDX-License-Identifier: GPL-2.0-or-later
// Entries of a table:
//   call KERNEL_NAME[/ALIAS[/NAME]] [result=hex|octal|none] ARGUMENT... VARIABLE={SCRIPT}... [return
//   VARIABLE={SCRIPT}]... alias NAME = KERNEL_NAME absent NAME... {REASON} flags NAME [unknown=TEXT]
//   NAME=VALUE[/MASK]... enum NAME [unknown=TEXT] NAME[=VALUE]... struct NAME [packed] FIELD:DECODER...
// call32 and alias32 are for 32-bit programs.
#include <algorithm>
#include <set>

#include "syscalls/call_table.h"
#include "syscalls/decoder.h"
#include "syscalls/table_words.h"

namespace tapir::syscalls {

constexpr const char *kEntries = "call, call32, alias, alias32, absent, flags, enum or struct";

class TableReader {
  public:
    TableReader(Table &table, const SourceFile &file, Diagnostics &diagnostics)
        : table_(table), scanner_(file, diagnostics), diagnostics_(diagnostics), errors_(diagnostics.error_count()) {}

    bool run() {
        while (next().type != TokenType::EndOfFile) {
            if (!entry())
                while (next().type != TokenType::EndOfEntry && next().type != TokenType::EndOfFile)
                    scanner_.take();
            if (next().type == TokenType::EndOfEntry) scanner_.take();
        }
        return diagnostics_.error_count() == errors_;
    }

  private:
    const Token &next() const { return scanner_.next(); }

    bool fail(const SourceRef &at, std::string message) {
        diagnostics_.report(Tag::SyntaxError, at, std::move(message));
        return false;
    }

    bool word(SourceRef &out, const char *what) {
        if (next().type != TokenType::Word) return fail(next().at, std::string("expected ") + what);
        out = scanner_.take().at;
        return true;
    }

    bool accept(char punctuation) {
        if (!next().is(punctuation)) return false;
        scanner_.take();
        return true;
    }

    bool expect(char punctuation) {
        return accept(punctuation) || fail(next().at, std::string("expected '") + punctuation + "'");
    }

    bool more() const { return next().type != TokenType::EndOfEntry && next().type != TokenType::EndOfFile; }

    bool entry() {
        SourceRef what;
        if (!word(what, kEntries)) return false;
        if (what.text == "call" || what.text == "call32") return call(what.text == "call32");
        if (what.text == "alias" || what.text == "alias32") return alias(what.text == "alias32");
        if (what.text == "absent") return absent();
        if (what.text == "flags" || what.text == "enum") return names(what.text == "flags");
        if (what.text == "struct") return record();
        return fail(what, std::string("expected ") + kEntries);
    }

    // False if this file has an entry of the key already.
    bool is_new(const SourceRef &at, const std::string &key) {
        return seen_.insert(key).second || fail(at, "defined twice in this file");
    }

    // ---- flags, enum

    bool names(bool flags) {
        SourceRef name;
        if (!word(name, "a name")) return false;
        if (!is_new(name, "names " + std::string(name.text))) return false;
        Names &set = table_.names_.emplace_back();
        set.name = name.text;
        set.flags = flags;
        uint64_t value = ~uint64_t{0};
        while (more()) {
            SourceRef item, text, mask;
            if (!word(item, "a name")) return false;
            if (!flags) ++value;
            if (accept('=')) {
                if (!word(text, "a number")) return false;
                if (item.text == "unknown") {
                    set.plain = text.text == "number";
                    set.permissions = text.text == "mode";
                    if (!set.plain && !set.permissions) set.unknown = text.text;
                    --value;
                    continue;
                }
                const std::optional<uint64_t> n = number(text.text);
                if (!n) return fail(text, "expected a number");
                value = *n;
            } else if (flags) {
                return fail(next().at, "expected '='");
            }
            uint64_t bits = flags && value ? value : ~uint64_t{0};
            if (accept('/')) {
                if (!word(mask, "a number")) return false;
                const std::optional<uint64_t> n = number(mask.text);
                if (!n || (value & ~*n)) return fail(mask, "expected a mask that covers the value");
                bits = *n;
            }
            set.list.push_back({value, bits, item.text});
        }
        table_.names_index_[set.name] = &set;
        return true;
    }

    // ---- decoders

    bool decoder(Decoder &out, bool parameter) {
        if (parameter && accept('&')) out.bits = true;
        SourceRef first;
        if (!word(first, "a decoder")) return false;
        if (parameter && (next().is('|') || next().is('='))) {
            out.cases.push_back(first);
            while (accept('|')) {
                if (!word(first, "a name")) return false;
                out.cases.push_back(first);
            }
            if (!expect('=') || !word(first, "a decoder")) return false;
        }
        out.at = first;
        if (!accept('(')) return true;
        do {
            if (!decoder(out.parameters.emplace_back(), true)) return false;
        } while (accept(','));
        return expect(')');
    }

    bool small_number(std::optional<uint16_t> &out) {
        SourceRef text;
        if (!word(text, "a number")) return false;
        const std::optional<uint64_t> n = number(text.text);
        if (!n || *n > UINT16_MAX) return fail(text, "expected a number");
        out = static_cast<uint16_t>(*n);
        return true;
    }

    // Reads the rest of an item after its first name: [@PLACE[/PLACE32]] : [LABEL=] DECODER
    bool item(Item &out) {
        if (accept('@')) {
            if (!small_number(out.place[0])) return false;
            out.place[1] = out.place[0];
            if (accept('/') && !small_number(out.place[1])) return false;
        }
        if (!expect(':') || !decoder(out.decoder, false)) return false;
        if (out.decoder.parameters.empty() && accept('=')) {
            out.label = out.decoder.name();
            return decoder(out.decoder, false);
        }
        return true;
    }

    // ---- struct

    bool record() {
        SourceRef name;
        if (!word(name, "a name") || !is_new(name, "struct " + std::string(name.text))) return false;
        std::vector<Item> items;
        bool packed = false;
        while (more()) {
            Item field;
            if (!word(field.at, "a field")) return false;
            if (field.at.text == "packed" && !next().is(':')) {
                packed = true;
                continue;
            }
            field.names = {field.at.text};
            if (!item(field)) return false;
            if (!field.label.empty()) return fail(field.decoder.at, "a field has no label");
            if (field.at.text != "_") field.label = field.at.text;
            items.push_back(std::move(field));
        }
        Record &out = table_.records_.emplace_back();
        out.name = name.text;
        if (!build_shows(items, true, table_, diagnostics_, out.fields)) return false;
        for (int abi = 0; abi < 2; ++abi) {
            uint16_t end = 0;
            for (size_t i = 0; i < items.size(); ++i) {
                const uint16_t alignment = packed ? 1 : alignment_of(out.fields[i], abi);
                const uint16_t at = items[i].place[abi].value_or((end + alignment - 1) / alignment * alignment);
                place(out.fields[i], abi, at);
                end = at + size_of(out.fields[i], abi);
                out.size[abi] = std::max(out.size[abi], end);
                out.alignment[abi] = std::max(out.alignment[abi], alignment);
            }
            out.size[abi] = (out.size[abi] + out.alignment[abi] - 1) / out.alignment[abi] * out.alignment[abi];
        }
        table_.record_index_[out.name] = &out;
        return true;
    }

    // ---- call

    bool alias(bool narrow) {
        SourceRef name, kernel;
        if (!word(name, "a name") || !expect('=') || !word(kernel, "a call")) return false;
        table_.aliases_.push_back({name.text, kernel.text, narrow});
        return !more() || fail(next().at, "expected the end of the entry");
    }

    bool absent() {
        std::vector<SourceRef> names(1);
        if (!word(names.front(), "a name")) return false;
        while (next().type == TokenType::Word)
            names.push_back(scanner_.take().at);
        if (next().type != TokenType::Script) return fail(next().at, "expected '{'");
        const std::string_view reason = scanner_.take().text();
        for (const SourceRef &name : names) {
            if (!is_new(name, "absent " + std::string(name.text))) return false;
            table_.absences_.push_back({name.text, reason});
        }
        return !more() || fail(next().at, "expected the end of the entry");
    }

    bool call(bool narrow) {
        SourceRef kernel, alias, name;
        if (!word(kernel, "the name of a call")) return false;
        alias = kernel;
        if (accept('/') && !word(alias, "a name")) return false;
        name = alias;
        if (accept('/') && !word(name, "a name")) return false;
        if (!is_new(kernel, (narrow ? "call32 " : "call ") + std::string(kernel.text))) return false;
        Call out;
        out.kernel = kernel.text;
        out.alias = alias.text;
        out.name = name.text;
        out.narrow = narrow;
        out.at = kernel;
        std::vector<Item> items;
        std::vector<std::vector<std::pair<SourceRef, SourceRef>>> given;  // names by form, per item
        while (more())
            if (!call_item(out, items, given)) return false;
        if (!build_shows(items, false, table_, diagnostics_, out.args) || !arguments(items, out)) return false;
        for (size_t i = 0; i < items.size(); ++i)
            add_variables(items[i], given[i], static_cast<unsigned>(i), out);
        table_.calls_.push_back(std::move(out));
        const Call &kept = table_.calls_.back();
        table_.call_index_[{kept.kernel, narrow}] = &kept;
        return variables(kept);
    }

    bool call_item(Call &out, std::vector<Item> &items,
                   std::vector<std::vector<std::pair<SourceRef, SourceRef>>> &given) {
        SourceRef first;
        if (!word(first, "an argument")) return false;
        const bool at_return = first.text == "return" && next().type == TokenType::Word;
        if (at_return && !word(first, "a variable")) return false;
        if (accept('=')) {
            if (next().type == TokenType::Script) {
                out.variables.push_back({std::string(first.text), Form::Script, 0, scanner_.take().text(), at_return});
                return true;
            }
            SourceRef value;
            if (first.text != "result" || at_return) return fail(next().at, "expected '{'");
            if (!word(value, "hex, octal or none")) return false;
            if (value.text == "hex")
                out.result = TAPIR_RESULT_HEX;
            else if (value.text == "octal")
                out.result = TAPIR_RESULT_OCTAL;
            else if (value.text == "none")
                out.result = TAPIR_RESULT_NONE;
            else
                return fail(value, "expected hex, octal or none");
            return true;
        }
        if (at_return) return fail(next().at, "expected '='");
        Item argument;
        argument.at = first;
        argument.names = {first.text};
        auto &forms = given.emplace_back();
        while (accept(',')) {
            SourceRef form, variable;
            if (!word(form, "text, unquoted or number") || !expect('=') || !word(variable, "a variable")) return false;
            if (form.text != "text" && form.text != "unquoted" && form.text != "number")
                return fail(form, "expected text, unquoted or number");
            forms.emplace_back(form, variable);
            argument.names.push_back(variable.text);
        }
        if (!item(argument)) return false;
        items.push_back(std::move(argument));
        return true;
    }

    // Assigns the items to the arguments of the call.
    bool arguments(const std::vector<Item> &items, Call &out) {
        for (int abi = 0; abi < 2; ++abi) {
            uint16_t following = 0;
            for (size_t i = 0; i < items.size(); ++i) {
                const uint16_t at = items[i].place[abi].value_or(following);
                const bool two = abi && out.args[i].size[abi] == 8;
                if (at + (two ? 1 : 0) >= TAPIR_SYSCALL_ARGUMENTS)
                    return fail(items[i].at, "a call has at most 6 arguments");
                place(out.args[i], abi, at);
                following = at + (two ? 2 : 1);
            }
        }
        return true;
    }

    void add_variables(const Item &item, const std::vector<std::pair<SourceRef, SourceRef>> &given, unsigned index,
                       Call &out) {
        const std::string name(item.at.text);
        const tapir_show_kind kind = out.args[index].kind;
        std::string number = name, text, unquoted;
        if (kind == TAPIR_SHOW_STRING) {
            text = name;
            unquoted = name + "_unquoted";
            number = name + "_uaddr";
        } else if (!is_plain_number(kind)) {
            text = (name.ends_with("_uaddr") ? name.substr(0, name.size() - 6) : name) + "_str";
        }
        for (const auto &[form, variable] : given)
            (form.text == "text" ? text : form.text == "number" ? number : unquoted) = variable.text;
        out.variables.push_back({number, Form::Number, index});
        if (!text.empty()) out.variables.push_back({text, Form::Text, index});
        if (!unquoted.empty()) out.variables.push_back({unquoted, Form::Unquoted, index});
    }

    bool variables(const Call &call) {
        std::set<std::string_view> names = {"name", "argstr", "retval", "retstr"};
        for (const Variable &variable : call.variables)
            if (!names.insert(variable.name).second)
                return fail(call.at, "two variables of the name '" + variable.name + "'");
        return true;
    }

    Table &table_;
    Scanner scanner_;
    Diagnostics &diagnostics_;
    size_t errors_;
    std::set<std::string> seen_;
};

bool Table::read(const SourceFile &file, Diagnostics &diagnostics) {
    return TableReader(*this, file, diagnostics).run();
}

}  // namespace tapir::syscalls
