// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/interactive.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/files.h"
#include "common/plain_text.h"
#include "common/run_program.h"
#include "interactive/completion.h"
#include "interactive/entry.h"
#include "interactive/typed_tokens.h"

namespace tapir::interactive {

namespace {

class Interaction {
  public:
    explicit Interaction(const Settings &settings)
        : settings_(settings),
          session_(settings.launch),
          completion_(definitions_,
                      [this](const auto &arguments) { return output_of_run(settings_.launch, arguments); }),
          editor_(session_, settings.history,
                  [this](std::string_view line) { return completion_.complete(typed_, line); }) {}

    int run() {
        if (editor_.edits()) say("'help' shows what can be typed, 'quit' ends.\n");
        if (!settings_.cannot_run.empty())
            say("Scripts cannot run here and are only checked:\n" + settings_.cannot_run);
        std::string line;
        while (!done_) {
            const Editor::Result result = editor_.read(typed_.empty() ? "stap> " : "    > ", line);
            if (result == Editor::Result::End) break;
            if (result == Editor::Result::Interrupted) {
                typed_.clear();
                continue;
            }
            typed_ += line + "\n";
            const Entry entry = read_entry(typed_, reader());
            if (entry.kind == Entry::Kind::Unfinished) continue;
            typed_.clear();
            obey(entry);
        }
        if (!typed_.empty()) say("what was typed last is unfinished\n");
        session_.end();
        return 0;
    }

  private:
    void say(std::string_view text) { editor_.show(text); }
    Reader reader() const { return {definitions_, settings_.guru, settings_.shown}; }
    bool runs() const { return settings_.cannot_run.empty(); }

    void obey(const Entry &entry) {
        switch (entry.kind) {
            case Entry::Kind::Wrong:
                say(entry.complaint);
                return;
            case Entry::Kind::Definitions:
                define(definitions_, entry.items);
                return;
            case Entry::Kind::Statement:
                execute(entry);
                return;
            case Entry::Kind::Command:
                command(entry.command, entry.argument);
                return;
            default:
                return;
        }
    }

    // Takes definitions in place of the present ones if they are right.
    bool accept(Definitions next) {
        const std::string complaint = check(settings_.launch, script_for_check(next));
        say(complaint);
        if (!complaint.empty()) return false;
        const bool probed = definitions_.has_probes() || next.has_probes();
        definitions_ = std::move(next);
        // Elsewhere, "run" starts them: the next line may come long before they are ready.
        if (probed && editor_.edits()) restart();
        return true;
    }

    bool define(const Definitions &base, const std::vector<Item> &items) {
        Definitions next = base;
        next.add(items);
        return accept(std::move(next));
    }

    void restart() {
        if (!runs() || !definitions_.has_probes())
            session_.stop();
        else
            session_.start(definitions_.script(true));
    }

    void execute(const Entry &entry) {
        std::string script = script_of(definitions_, entry.printed.empty() ? entry.statement : entry.printed);
        std::string complaint = check(settings_.launch, script);
        if (!complaint.empty() && entry.is_call) {
            script = script_of(definitions_, entry.statement);
            complaint = check(settings_.launch, script);
        }
        say(complaint);
        if (!complaint.empty() || !runs()) return;
        tell_apart(entry.statement);
        run_to_end(settings_.launch, script, [this](std::string_view text) { say(text); });
    }

    // A statement is a script of its own: it has other variables than the probes that run.
    void tell_apart(const std::string &statement) {
        if (!session_.is_on()) return;
        for (const Lexeme &token : lexemes_of(statement)) {
            const auto same = [&](const Item &item) {
                return item.kind == Item::Kind::Global && item.name == token.text;
            };
            if (!std::ranges::any_of(definitions_.items(), same)) continue;
            say("notice: '" + std::string(token.text) +
                "' has its first value here; a probe tells what it has where probes run: probe timer.s(1) { ... }\n");
            return;
        }
    }

    void command(const std::string &name, const std::string &argument) {
        if (name == "help") say(help());
        if (name == "list") say(listing());
        if (name == "delete") remove(argument);
        if (name == "edit") edit(argument);
        if (name == "load") load(argument);
        if (name == "save") save(argument);
        if (name == "run") start();
        if (name == "stop" && !session_.stop()) say("no probes run\n");
        if (name == "quit") done_ = true;
    }

    static std::string help() {
        std::string text =
            "A definition (global, function, probe, @define) is kept; probes run while you type.\n"
            "Any other statement runs at once, and the value of an expression is printed.\n"
            "Tab completes a word, Ctrl-C leaves what was begun.\n\n";
        for (const Command &command : commands()) {
            const std::string form = std::string(command.name) + " " + std::string(command.argument);
            append(text, "  %-16s %s\n", form.c_str(), std::string(command.help).c_str());
        }
        return text;
    }

    std::string listing() const {
        if (definitions_.empty()) return "there are no definitions\n";
        std::string text;
        size_t number = 0, line = 0;
        for (const Item &item : definitions_.items()) {
            number++;
            bool first = true;
            for (size_t at = 0; at <= item.text.size(); first = false) {
                const size_t end = std::min(item.text.find('\n', at), item.text.size());
                append(text, "%3s %4zu  %s\n", first ? std::to_string(number).c_str() : "", ++line,
                       item.text.substr(at, end - at).c_str());
                at = end + 1;
            }
        }
        return text;
    }

    void no_such(const std::string &word) { say("there is no definition '" + word + "'; 'list' shows all\n"); }

    void remove(const std::string &word) {
        Definitions next = definitions_;
        if (!next.remove(word)) return no_such(word);
        if (!accept(std::move(next))) say("'" + word + "' stays: others need it\n");
    }

    void edit(const std::string &word) {
        Definitions others;
        std::string text = definitions_.script(true);
        if (!word.empty()) {
            const std::optional<size_t> place = definitions_.find(word);
            if (!place) return no_such(word);
            text = definitions_.items()[*place].text + "\n";
            others = definitions_;
            others.remove(std::to_string(*place + 1));
        }
        const Outcome<std::string> made = make_directory(temporary_root(), "stap-edit-");
        if (!made) return say(made.fault().message() + "\n");
        const TemporaryDirectory folder(*made);
        const std::string file = folder.path() + "/typed.stp";
        if (const Outcome<void> written = write_file(file, text); !written)
            return say(written.fault().message() + "\n");
        Program editor{{"/bin/sh", "-c", "exec ${VISUAL:-${EDITOR:-vi}} \"$1\"", "sh", file}};
        editor.input = Stream::inherited();
        const Outcome<Ending> ending = run_program(editor);
        if (!ending || !ending->good())
            return say("the editor ended " + (ending ? ending->words() : ending.fault().message()) +
                       "; nothing is changed\n");
        add_file(file, others);
    }

    bool add_file(const std::string &file, const Definitions &base) {
        const std::optional<std::string> text = read_file(file);
        if (!text) {
            say("cannot read '" + file + "'\n");
            return false;
        }
        Entry entry = read_definitions(*text, file, {base, settings_.guru, settings_.shown});
        if (entry.kind == Entry::Kind::Unfinished) entry.complaint = "'" + file + "' ends within a definition\n";
        if (entry.kind == Entry::Kind::Definitions) return define(base, entry.items);
        say(entry.complaint);
        return false;
    }

    void load(const std::string &file) {
        const size_t before = definitions_.items().size();
        if (!add_file(file, definitions_)) return;
        say("loaded '" + file + "': " + std::to_string(definitions_.items().size()) + " definitions, " +
            std::to_string(before) + " before\n");
    }

    void save(const std::string &file) {
        const Outcome<void> written = write_file(file, definitions_.script(true));
        say(written ? "saved '" + file + "'\n" : written.fault().message() + "\n");
    }

    void start() {
        if (!definitions_.has_probes()) return say("there are no probes\n");
        if (!runs()) return say("scripts cannot run here:\n" + settings_.cannot_run);
        if (editor_.edits()) return session_.start(definitions_.script(true));
        run_to_end(settings_.launch, definitions_.script(true), [this](std::string_view text) { say(text); });
    }

    const Settings &settings_;
    Definitions definitions_;
    std::string typed_;  // of an entry that is not finished
    Session session_;
    Completion completion_;
    Editor editor_;
    bool done_ = false;
};

}  // namespace

int interact(const Settings &settings) {
    return Interaction(settings).run();
}

}  // namespace tapir::interactive
