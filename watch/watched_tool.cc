// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/watched_tool.h"

#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/find_program.h"
#include "common/json.h"
#include "common/plain_text.h"
#include "common/quoting.h"
#include "common/run_program.h"

namespace tapir::watch {

namespace {

using std::chrono::seconds;

constexpr unsigned kMostLines = 20;  // of a session, that are passed on
// How a session may end that did what it should: 3 tells that its capture misleads, which the capture says, too.
constexpr int kPoor = 3;

std::string own_program(const char *name) {
    const std::string beside = program_beside(name);
    return beside.empty() ? name : beside;
}

std::string module_of(const std::string &name) {
    std::string out = "watch_" + name;
    for (char &c : out)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    constexpr size_t kLongest = 50;
    out.resize(std::min(out.size(), kLongest));
    return out;
}

// Does the tool take samples by a clock whose rate can be so low?
bool takes_rate(const nlohmann::json &description, uint64_t hz) {
    for (const auto &option : description.at("options"))
        if (option.at("name") == "hz" && option.value("type", "") == "number")
            return option.value("least", uint64_t{1}) <= hz;
    return false;
}

const char *text_of(WatchedTool::State state) {
    switch (state) {
        case WatchedTool::State::Waiting:
            return "waiting";
        case WatchedTool::State::Resting:
            return "resting";
        case WatchedTool::State::Running:
            return "running";
        default:
            return "ended";
    }
}

}  // namespace

WatchedTool::WatchedTool(const Wanted &wanted, const Options &options)
    : wanted_(wanted),
      options_(options),
      stap_(own_program("stap")),
      staprun_(own_program("staprun")),
      module_(module_of(wanted.name)),
      kept_(options.folder + "/" + wanted.name, options.keeping),
      state_(State::Waiting) {}

Outcome<void> WatchedTool::prepare() {
    const Outcome<std::string> described = output_of({stap_, "run", wanted_.words.front(), "--describe"});
    if (!described)
        return Fault{described.fault().tag,
                     "'" + wanted_.words.front() + "' cannot be watched: " + described.fault().text,
                     "'stap run' lists the tools"};
    const auto description = nlohmann::json::parse(*described, nullptr, false);
    if (!description.is_object() || !description.contains("options"))
        return Fault{FaultTag::ProgramFailed, "'" + wanted_.words.front() + "' does not describe its options"};
    const bool chosen = std::any_of(wanted_.words.begin(), wanted_.words.end(),
                                    [](const std::string &word) { return word.starts_with("--hz"); });
    samples_ = !chosen && takes_rate(description, options_.hz);
    return kept_.open(time(nullptr));
}

std::vector<std::string> WatchedTool::command() const {
    std::vector<std::string> out = {
        stap_, "run", "-m", module_, "--record=" + kept_.running(), "--ledger=" + kept_.accounting()};
    if (!options_.budget.empty()) out.push_back("--budget=" + options_.budget_of_one());
    out.insert(out.end(), wanted_.words.begin(), wanted_.words.end());
    if (samples_) out.push_back("--hz=" + std::to_string(options_.hz));
    out.push_back("--duration=" + format("%g", static_cast<double>(options_.every_ms) / 1000));
    return out;
}

// A loader that was killed leaves its module, with its memory. One that runs cannot be removed.
void WatchedTool::remove_left_module() const {
    if (!is_directory("/sys/module/" + module_)) return;
    Collected nothing;
    Program program{{staprun_, "-d", module_}};
    program.output = program.errors = Stream::collected(nothing);
    // If that fails, the session fails, and says why.
    [[maybe_unused]] const Outcome<Ending> ended = run_program(program);
}

void WatchedTool::say(const std::string &line) {
    std::fprintf(stderr, "stap-watch: %s: %s\n", wanted_.name.c_str(), printable(line).c_str());
}

void WatchedTool::start(Clock::time_point now) {
    remove_left_module();
    Program program{command()};
    // stap leaves the module of -m there.
    program.directory = kept_.folder();
    program.output = Stream::nothing();
    program.errors = Stream::pipe();
    program.group = ProcessGroup::Own;
    // Killed or not, no session stays without its watcher.
    program.death_signal = SIGTERM;
    messages_ = MessageLines();
    last_line_.clear();
    lines_ = 0;
    too_large_ = false;
    began_ = time(nullptr);
    if (const Outcome<void> started = process_.start(program); !started)
        return begin_rest(now, started.fault().message());
    state_ = State::Running;
    sessions_++;
    changed_ = true;
}

void WatchedTool::begin_rest(Clock::time_point now, const std::string &why) {
    const seconds rest = rest_.failed();
    failed_++;
    trouble_ = why;
    rest_until_ = now + rest;
    state_ = State::Resting;
    changed_ = true;
    say(why + "; the next session begins in " + std::to_string(rest.count()) + " s");
}

// stap passes the signal on. If staprun got it twice, it would give its last handlers up.
void WatchedTool::end_session() {
    ::kill(process_.id(), SIGTERM);
}

void WatchedTool::look(Clock::time_point now, bool pressed) {
    const bool rested = state_ == State::Resting && now >= rest_until_;
    const bool wanted = state_ == State::Waiting && (options_.on.empty() || pressed);
    if (!stopping_ && !process_.started() && (rested || wanted)) start(now);
    if (state_ != State::Running || too_large_ || !options_.keeping.bytes) return;
    // Rows of a table come at any rate. The disk is for other things, too.
    too_large_ = kept_.running_bytes() > options_.keeping.bytes / 4;
    if (!too_large_) return;
    say("its capture has become large: the session ends, and another begins");
    end_session();
}

void WatchedTool::pass_on(const std::string &line) {
    // The file gets another name.
    if (line.starts_with("wrote " + kept_.running())) return;
    last_line_ = line;
    if (++lines_ <= kMostLines) say(line);
    if (lines_ == kMostLines) say("more messages of this session are left out");
}

void WatchedTool::finish(Clock::time_point now) {
    messages_.finish([this](const std::string &line) { pass_on(line); });
    const Ending ending = process_.ending();
    process_.forget();
    const Outcome<bool> kept = kept_.rotate(began_, time(nullptr));
    changed_ = true;
    state_ = stopping_ ? State::Ended : State::Waiting;
    if (!kept) return begin_rest(now, "its capture cannot be kept: " + kept.fault().message());
    if (stopping_) return;
    if (*kept && !ending.signal && (ending.status == 0 || ending.status == kPoor)) {
        rest_.succeeded();
        trouble_.clear();
        return;
    }
    begin_rest(now, "its session ended " + (ending.good() ? "without a capture" : ending.words()) +
                        (last_line_.empty() ? "" : ": " + last_line_));
}

void WatchedTool::attend(Clock::time_point now) {
    if (!process_.started()) return;
    const auto read_all = [this] {
        for (std::string bytes; process_.read_errors(bytes); bytes.clear())
            messages_.take(bytes, [this](const std::string &line) { pass_on(line); });
    };
    read_all();
    if (!process_.reap()) return;
    read_all();
    finish(now);
}

void WatchedTool::stop() {
    stopping_ = true;
    changed_ = true;
    if (process_.started())
        end_session();
    else
        state_ = State::Ended;
}

std::optional<Clock::time_point> WatchedTool::due() const {
    if (state_ == State::Resting) return rest_until_;
    return std::nullopt;
}

bool WatchedTool::take_change() {
    const bool changed = changed_;
    changed_ = false;
    return changed;
}

std::string WatchedTool::status() const {
    std::string command;
    for (const std::string &word : wanted_.words)
        command += (command.empty() ? "" : " ") + word;
    return format(
        "{\"name\":%s,\"tool\":%s,\"state\":\"%s\",\"since\":%lld,\"sessions\":%llu,\"failed\":%llu,"
        "\"captures\":%llu,\"bytes\":%llu,\"trouble\":%s}",
        json_string(wanted_.name).c_str(), json_string(command).c_str(), text_of(state_),
        static_cast<long long>(began_), static_cast<unsigned long long>(sessions_),
        static_cast<unsigned long long>(failed_), static_cast<unsigned long long>(kept_.captures()),
        static_cast<unsigned long long>(kept_.bytes()), json_string(trouble_).c_str());
}

}  // namespace tapir::watch
