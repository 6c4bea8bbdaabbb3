// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/program_run.h"

#include <algorithm>
#include <cstdio>

#include "common/quoting.h"
#include "options/tell.h"

namespace tapir::driver {

namespace {

// --semantic-keep-going: the errors of pass 2 once more, for programs.
void print_error_catalogue(const Diagnostics &diagnostics) {
    std::string lines;
    size_t count = 0;
    for (const auto &d : diagnostics.all()) {
        if (d->severity != Severity::Error || tag_stage(d->tag) != Stage::Semantic) continue;
        ++count;
        std::string place = d->at ? printable(d->at.file->name()) + "\t" + std::to_string(d->at.line) + "\t" +
                                        std::to_string(d->at.column) + "\t" + printable(first_line(d->at.text))
                                  : "\t0\t0\t";
        lines += "SEMANTIC_ERROR\t" + place + "\t" + printable(d->message) + "\n";
    }
    std::fprintf(stderr, "SEMANTIC_ERRORS: %zu\n%sSEMANTIC_ERRORS_END\n", count, lines.c_str());
}

}  // namespace

void ProgramRun::flush_messages() {
    std::string text = shown_text(options(), diagnostics(), options().verbosity[0] > 0);
    // The line with the number of suppressed messages changes when more of them come.
    size_t same =
        static_cast<size_t>(std::mismatch(text.begin(), text.end(), shown_.begin(), shown_.end()).first - text.begin());
    while (same > 0 && text[same - 1] != '\n')
        --same;
    std::fputs(text.c_str() + same, stderr);
    shown_ = std::move(text);
}

// The end of a run that came to none of the passes, for people: the other form has no last line there.
int ProgramRun::nothing_ran(const std::string &reading) {
    flush_messages();
    const Screen &screen = options().screen;
    if (screen.for_people) std::fputs(result_line(screen, "error", "Nothing ran.", reading).c_str(), stderr);
    return 1;
}

int ProgramRun::failed(int pass) {
    flush_messages();
    auto in_script = [](const auto &d) {
        return d->severity == Severity::Error && tag_stage(d->tag) == Stage::Parse && d->at;
    };
    auto errors = std::count_if(diagnostics().all().begin(), diagnostics().all().end(), in_script);
    if (pass == 1 && errors && !options().screen.for_people)
        std::fprintf(stderr, "%td parse error%s.\n", errors, errors == 1 ? "" : "s");
    // Without the program, stap cannot find the names that a script has of it.
    std::string missing;
    if (pass == 2 && !backend_->subject().has_kernel() && backend_->subject().program(missing).empty() &&
        !options().suppress_warnings)
        tell(options(), Voice::Notice, missing);
    std::fputs(failure_line(options(), pass, diagnostics()).c_str(), stderr);
    if (pass == 2 && options().semantic_keep_going) print_error_catalogue(diagnostics());
    return 1;
}

}  // namespace tapir::driver
