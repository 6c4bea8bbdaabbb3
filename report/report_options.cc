// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/report_options.h"

#include <boost/program_options.hpp>
#include <cstdlib>
#include <ctime>
#include <sstream>

#include "base/option_error.h"
#include "report/capture_folder.h"
#include "report/shares.h"

namespace po = boost::program_options;

namespace tapir::report {

namespace {

struct Words {
    std::string format, by, table, sort, server;
    uint64_t top = 0;
    std::string from, to;
};

po::options_description described(Options &o, Words &w) {
    const auto text = [](std::string &field, const char *name) { return po::value(&field)->value_name(name); };
    po::options_description out("Options");
    out.add_options()("help,h", "print this summary");
    out.add_options()("version,V", "print the version");
    out.add_options()(
        "output,o", text(o.output, "FILE"),
        ("write there instead of to standard output. The suffix chooses the format: " + format_suffixes()).c_str());
    out.add_options()("format", text(w.format, "NAME"), ("the format: " + format_names() + " (default text)").c_str());
    out.add_options()("diff", text(o.before, "OTHER"), "compare with an earlier capture: text, svg, html, folded");
    out.add_options()("min-quality", po::value(&o.min_quality)->value_name("PERCENT"),
                      "exit with status 3 if fewer of the samples are complete (default 95)");
    out.add_options()("check", po::bool_switch(&o.check),
                      "print how far a picture can be trusted, as JSON, and make none");
    out.add_options()("all", po::bool_switch(&o.all), "all functions in the summary, and all causes");
    out.add_options()("accept-partial", po::bool_switch(&o.accept_partial), "exit with status 0 despite losses");
    out.add_options()("from", text(w.from, "TIME"),
                      "of a folder: sessions from then on (15:04, '2026-11-30 15:04', or 10m, 2h: so long ago); of a "
                      "capture with times: samples from that second of the session on");
    out.add_options()("to", text(w.to, "TIME"), "of a folder: sessions up to then");
    out.add_options()("inline", po::bool_switch(&o.inlined),
                      "show inlined functions and source files, by debug information on this machine");
    out.add_options()("use-server", text(w.server, "[=URL]")->implicit_value(""),
                      "take names of functions from a build server, by build-id (default URL: that of client.conf)");
    out.add_options()("lines", po::bool_switch(&o.profile.lines), "keep source lines of one function apart");
    out.add_options()("native", po::bool_switch(&o.profile.native),
                      "show frames of interpreters beside those of the language that they run");
    out.add_options()("mangled", po::bool_switch(&o.profile.mangled), "do not demangle names of C++ and Rust");
    out.add_options()("by", text(w.by, "LABEL,..."), "labels that become the outermost frames, such as comm or tid");
    out.add_options()("own", po::value(&o.profile.own)->value_name("PATTERN")->composing(),
                      "files that are the program's own code, too, such as 'libbook*' or '*/shop.py'");
    out.add_options()("match", po::value(&o.profile.match)->value_name("REGEX")->composing(),
                      "of json: also the share of stacks with a function or file that matches; of tables: the rows "
                      "with a cell that matches");
    out.add_options()("count", po::bool_switch(&o.profile.by_count), "show how many samples there are, not their sums");
    out.add_options()("table", text(w.table, "[=NAME]")->implicit_value(""),
                      "print the rows of all tables again, or of one, as text, json or csv, and make no picture");
    out.add_options()("sort", text(w.sort, "COLUMN"),
                      "of a table: largest first, texts by alphabet; -COLUMN: reversed");
    out.add_options()("top", po::value(&w.top)->value_name("N"), "of a table: the first N rows");
    out.add_options()("title", text(o.profile.title, "TEXT"), "the picture's title");
    return out;
}

Fault misuse(const std::string &text) {
    return {FaultTag::Misuse, text, "'stap-report --help' lists the options"};
}

// Checks the options that go with --table.
Outcome<void> finish_tables(const Words &words, Options &out) {
    TableOptions &tables = *out.tables;
    tables.name = words.table;
    tables.sort = words.sort;
    tables.top = words.top;
    tables.match = out.profile.match;
    tables.form = words.format.empty() ? form_of_file(out.output) : words.format;
    if (tables.form != "text" && tables.form != "json" && tables.form != "csv")
        return misuse("--table writes text, json or csv, not '" + tables.form + "'");
    if (out.check || out.all || !out.before.empty()) return misuse("--table goes without --check, --all and --diff");
    return {};
}

// A folder's are moments, a capture's is a second of its session.
Outcome<void> finish_span(const Words &words, Options &out) {
    if (!is_folder(out.input)) {
        char *end = nullptr;
        const double from = words.from.empty() ? 0 : std::strtod(words.from.c_str(), &end);
        if ((end && (*end || end == words.from.c_str())) || !(from >= 0 && from <= 1e9))
            return misuse("--from takes seconds from the session's start");
        if (!words.to.empty()) return misuse("--to is for folders of captures");
        out.profile.from = static_cast<uint64_t>(from * 1e9);
        return {};
    }
    if (!out.before.empty()) return misuse("--diff compares files, not folders");
    out.span.emplace();
    const time_t now = time(nullptr);
    const std::pair<const std::string *, uint64_t *> ends[] = {{&words.from, &out.span->from},
                                                               {&words.to, &out.span->to}};
    for (const auto &[text, to] : ends) {
        if (text->empty()) continue;
        const Outcome<uint64_t> at = read_moment(*text, now);
        if (!at) return at.fault();
        *to = *at;
    }
    if (out.span->from > out.span->to) return misuse("--from is later than --to");
    return {};
}

Outcome<void> finish(const Words &words, Options &out) {
    if (out.input.empty()) return misuse("which capture? Give its file, or - for standard input");
    if (out.input == "-" && out.before == "-") return misuse("only one capture can come from standard input");
    if (!(out.min_quality >= 0 && out.min_quality <= 100)) return misuse("--min-quality takes 0 to 100 (percent)");
    out.profile.min_quality = out.min_quality;
    if (const Outcome<void> good = finish_span(words, out); !good) return good;
    for (const std::string &pattern : out.profile.match)
        if (const std::string problem = pattern_problem(pattern); !problem.empty())
            return misuse("--match '" + pattern + "' is no regular expression: " + problem);
    if (out.tables) return finish_tables(words, out);
    if (words.top || !words.sort.empty()) return misuse("--sort and --top are for --table");
    if (!words.format.empty()) {
        out.format = find_format(words.format);
        if (!out.format) return misuse("--format knows " + format_names() + ", not '" + words.format + "'");
    } else if (out.output != "-") {
        out.format = format_of_file(out.output);
        if (!out.format)
            return misuse("the name '" + out.output + "' does not tell the format; use one of the suffixes " +
                          format_suffixes() + ", or --format");
    } else {
        out.format = find_format("text");
    }
    if (!out.before.empty() && !out.format->compares)
        return misuse("--diff goes with text, svg, html and folded, not with " + std::string(out.format->name));
    if (out.check && (!words.format.empty() || out.output != "-" || !out.before.empty()))
        return misuse("--check makes no picture: it goes without --format, -o and --diff");
    if (out.all && out.format->render)
        return misuse("--all is for the summary, not for " + std::string(out.format->name));
    if (!out.profile.match.empty() && out.format->name != "json")
        return misuse("--match is for json, not for " + std::string(out.format->name));
    for (size_t at = 0; !words.by.empty() && at <= words.by.size();) {
        const size_t comma = std::min(words.by.find(',', at), words.by.size());
        if (comma == at) return misuse("--by takes labels with a comma between them");
        out.profile.by.push_back(words.by.substr(at, comma - at));
        at = comma + 1;
    }
    return {};
}

}  // namespace

std::string help_text() {
    Options options;
    Words words;
    std::ostringstream out;
    out << "Usage: stap-report FILE|FOLDER [OPTION...]\n"
           "Makes flame graphs and other pictures of a capture, which stap --record=FILE wrote.\n\n"
        << described(options, words)
        << "\nThe exit status is 0, 1 after an error, or 3 if too much is cut or lost, or the capture is not sealed.\n";
    return out.str();
}

Outcome<Options> parse_options(const std::vector<std::string> &arguments) {
    Options out;
    out.output = "-";
    Words words;
    const po::options_description known = described(out, words);
    po::options_description all;
    std::vector<std::string> inputs;
    all.add(known).add_options()("input", po::value(&inputs));
    po::positional_options_description positional;
    positional.add("input", -1);
    po::variables_map given;
    try {
        po::store(po::command_line_parser(arguments).options(all).positional(positional).run(), given);
        po::notify(given);
    } catch (const po::error &error) {
        return misuse(option_error_text(error));
    }
    out.help = given.count("help") != 0;
    out.version = given.count("version") != 0;
    if (out.help || out.version) return out;
    if (inputs.size() > 1) return misuse("one capture at a time; --diff compares it with another");
    if (!inputs.empty()) out.input = inputs[0];
    if (given.count("table")) out.tables.emplace();
    if (given.count("use-server")) out.server = words.server;
    if (given.count("top") && !words.top) return misuse("--top takes a number of rows, from 1 on");
    if (const Outcome<void> good = finish(words, out); !good) return good.fault();
    return out;
}

}  // namespace tapir::report
