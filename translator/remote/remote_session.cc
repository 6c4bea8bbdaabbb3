// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/remote_session.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "common/json.h"
#include "common/quoting.h"

namespace tapir::remote {
namespace {

constexpr unsigned kLeaveSeconds = 5;
constexpr int kLostConnection = 255;  // ssh's own status
constexpr size_t kMaxAnswer = 1 << 16;

std::string seconds_text(unsigned seconds) {
    return std::to_string(seconds) + (seconds == 1 ? " second" : " seconds");
}

bool is_plain_release(const std::string &release) {
    return !release.empty() && release[0] != '-' && release[0] != '/' && is_plain_path("/" + release) &&
           release.find('/') == std::string::npos;
}

// The last thing that was complained about: ssh says why it cannot connect in its last line.
std::string complaint_of(const std::string &said) {
    std::string_view text = trim(said);
    return std::string(trim(text.substr(text.rfind('\n') + 1)));
}

std::string deadline_text(const FleetOptions &options) {
    return "it took longer than " + seconds_text(options.deadline_seconds) + " (--remote-deadline)";
}

// Why the machine is not to run the script once more; "" if it does not yet.
std::string note_machine(Machines &machines, const std::string &boot, const std::string &uri) {
    if (boot.empty()) return "";
    const auto [known, is_new] = machines.emplace(boot, uri);
    return is_new ? "" : "it is the same machine as " + known->second + ", which counts";
}

}  // namespace

Session::Session(size_t number, const Host &host, const Surroundings &around)
    : number_(number),
      host_(host),
      around_(around),
      output_(around.output,
              around.options.records  ? json_string(host.uri)
              : around.options.prefix ? host.uri + ": "
                                      : "",
              around.several,
              around.options.records || around.options.take ? Lines::Bytes::Records : Lines::Bytes::Raw),
      errors_(around.errors, !around.equal && (around.several || around.options.prefix) ? host.uri + ": " : "",
              around.several, around.options.color ? Lines::Bytes::Colored : Lines::Bytes::Safe) {
    if (around_.options.take)
        output_.give_to([this](std::string_view line) {
            std::string out;
            if (wrong_.empty()) wrong_ = around_.options.take(number_, line, out);
            around_.output.add(out);
        });
    if (around_.equal)
        errors_.give_to([this](std::string_view message) { around_.equal->add(number_, message, Clock::now()); });
}

void Session::prepare(const std::string &sockets, const std::string &token, const std::string &problem) {
    socket_ = sockets + "/" + std::to_string(number_);
    token_ = token;
    if (!problem.empty()) end(problem);
}

void Session::enter(Stage stage, unsigned seconds) {
    stage_ = stage;
    deadline_ = seconds ? Clock::now() + std::chrono::seconds(seconds) : Clock::time_point::max();
}

// ---- ssh

// The first value given for one of ssh's options counts: the user's before these, these before configuration files.
std::vector<std::string> Session::ssh(bool master) const {
    const FleetOptions &options = around_.options;
    std::vector<std::string> words = {options.ssh};
    const auto option = [&words](const std::string &text) {
        words.push_back("-o");
        words.push_back(text);
    };
    if (master)
        for (const std::vector<std::string> *given : {&host_.ssh_options, &options.ssh_options})
            for (const std::string &text : *given)
                option(text);
    else
        option("ProxyCommand=false");  // never a connection of its own when the shared one has broken
    option("ControlPath=" + socket_);
    option(master ? "ControlMaster=yes" : "ControlMaster=no");
    option("ControlPersist=no");
    option(options.interactive ? "BatchMode=no" : "BatchMode=yes");
    option("ConnectTimeout=" + std::to_string(options.connect_seconds));
    option("ServerAliveInterval=5");
    option("ServerAliveCountMax=3");
    option("ForwardX11=no");
    option("ForwardAgent=no");
    option("ClearAllForwardings=yes");
    option("RemoteCommand=none");
    option("RequestTTY=no");
    if (host_.port) words.insert(words.end(), {"-p", std::to_string(host_.port)});
    if (master) words.push_back("-N");
    words.push_back(host_.destination);
    return words;
}

void Session::connect() {
    begun_ = Clock::now();
    begin_deadline();
    enter(Stage::Connecting, around_.options.interactive ? 0 : around_.options.connect_seconds + 5);
    const Outcome<void> started = master_.start(piped_program(ssh(true)));
    if (!started) end(started.fault().message());
}

void Session::look_for_connection() {
    if (master_.ended()) {
        const std::string why = complaint_of(said_);
        return end("cannot connect" + (why.empty() ? "" : ": " + why));
    }
    if (access(socket_.c_str(), F_OK) == 0) return ask();
    if (Clock::now() >= deadline_) end("cannot connect within " + seconds_text(around_.options.connect_seconds));
}

// ---- the keeper

void Session::ask() {
    enter(Stage::Asking, around_.options.connect_seconds * 3);
    Program program = piped_program(ssh(false));
    program.argv.push_back(keeper_command(token_ + std::to_string(number_), around_.options.alive_seconds));
    program.input = Stream::pipe();
    const Outcome<void> started = keeper_.start(program);
    if (!started) end(started.fault().message());
}

void Session::read_keeper() {
    while (stage_ == Stage::Asking && keeper_.read_output(heard_)) {
        for (size_t newline; stage_ == Stage::Asking && (newline = heard_.find('\n')) != std::string::npos;) {
            const bool last =
                take_fact(std::string_view(heard_).substr(0, newline), token_ + std::to_string(number_), facts_);
            heard_.erase(0, newline + 1);
            if (last) return judge_facts();
        }
        if (heard_.size() > kMaxAnswer) return leave("the host answers with something else than was asked for");
    }
    if (keeper_.ended()) {
        const std::string why = complaint_of(said_);
        return end("the host's shell does not do what it was asked to" + (why.empty() ? "" : ": " + why));
    }
    if (Clock::now() >= deadline_)
        leave("the host does not answer within " + seconds_text(around_.options.connect_seconds * 3));
}

void Session::judge_facts() {
    if (!is_plain_release(facts_.release) || !is_plain_release(facts_.machine))
        return leave("the host does not tell which kernel it runs");
    result_.kernel = facts_.release;
    if (facts_.directory.empty())
        return leave(
            "the host has no directory to put programs into: none of $TMPDIR, /tmp, /var/tmp, /run, /dev/shm "
            "and $HOME can be written to and run programs from");
    if (!is_plain_path(facts_.directory)) return leave("the host's directory has an odd name: " + facts_.directory);
    if (around_.options.take) result_.note = note_machine(around_.machines, facts_.boot, host_.uri);
    if (!result_.note.empty()) return leave("");
    const bool installed = !facts_.staprun.empty() && facts_.staprun_version == around_.options.staprun_version;
    if (!installed && !around_.options.no_module && !facts_.uid.empty() && facts_.uid != "0")
        return leave(
            "only root can load modules there, and there is no staprun of this version that is installed for "
            "other users (docs/security.md); log in as root");
    if (installed) {
        program_ = facts_.staprun;
    } else {
        program_ = facts_.directory + "/staprun";
        const Outcome<Payload> &loader = around_.builds.loader();
        if (!loader) return leave(loader.fault().message());
        to_copy_.push_back(&*loader);
    }
    build_ = around_.builds.want(facts_);
    last_ = Clock::time_point::max();  // a build is not the host's affair
    enter(Stage::Building, 0);
}

void Session::look_for_module() {
    if (keeper_.ended()) {
        said_ += heard_;
        return end("the connection was lost before the script ran");
    }
    if (!build_->done()) return;
    begin_deadline();
    if (!build_->problem().empty() && !around_.options.no_module) return leave(build_->problem());
    if (!around_.options.no_module) to_copy_.push_back(&build_->module());
    if (!build_->signature().name.empty()) to_copy_.push_back(&build_->signature());
    copy_next();
}

void Session::say_alive() {
    const Clock::time_point now = Clock::now();
    if (!is_kept() || now < next_alive_) return;
    next_alive_ = now + std::chrono::seconds(around_.options.alive_seconds);
    // Where the last one has not gone yet, another is of no use.
    if (keeper_.alive() && keeper_.input_descriptor() < 0) keeper_.send(std::string(kAlive));
}

// ---- copying

void Session::copy_next() {
    if (to_copy_.empty()) return launch();
    enter(Stage::Copying, around_.options.connect_seconds * 3);
    const Payload &payload = *to_copy_.front();
    Program program = piped_program(ssh(false));
    program.argv.push_back(upload_command(facts_.directory, payload.name));
    program.input = Stream::pipe();
    answer_.clear();
    const Outcome<void> started = copy_.start(program);
    if (!started) return leave(started.fault().message());
    copy_.send_view(payload.bytes);
    copy_.end_input();
}

uint64_t Session::bytes_to_copy() const {
    return std::accumulate(to_copy_.begin(), to_copy_.end(), uint64_t{0},
                           [](uint64_t sum, const Payload *payload) { return sum + payload->bytes.size(); });
}

void Session::look_at_copy() {
    // As long as bytes go, it is only slow.
    if (copy_.write() > 0) deadline_ = Clock::now() + std::chrono::seconds(around_.options.connect_seconds * 3);
    while (copy_.read_output(answer_)) {
    }
    while (copy_.read_errors(said_)) {
    }
    const Payload &payload = *to_copy_.front();
    if (copy_.reap() || copy_.ended()) {
        while (copy_.read_output(answer_)) {
        }
        while (copy_.read_errors(said_)) {
        }
        // Login scripts may have printed before it.
        std::string_view answer = trim(answer_);
        answer.remove_prefix(answer.rfind('\n') + 1);
        const std::string_view first = answer.substr(0, answer.find(' '));
        const bool same = first == payload.sha256 || first == std::to_string(payload.bytes.size());
        if (copy_.ending().good() && same) {
            to_copy_.pop_front();
            copy_.forget();
            return copy_next();
        }
        const std::string why = copy_.ending().good() ? "what arrived there is not what was sent" : complaint_of(said_);
        return leave("cannot copy " + payload.name + " to the host" + (why.empty() ? "" : ": " + why));
    }
    if (Clock::now() >= deadline_) leave("copying " + payload.name + " to the host has come to a halt");
}

// ---- the run

void Session::launch() {
    const std::string module = build_->module().name.empty() ? "" : facts_.directory + "/" + build_->module().name;
    std::vector<std::string> arguments = around_.options.arguments(number_, host_, module);
    std::string program = program_;
    if (const std::vector<std::string> &environment = around_.options.environment; !environment.empty()) {
        arguments.insert(arguments.begin(), program);
        arguments.insert(arguments.begin(), environment.begin(), environment.end());
        program = "env";
    }
    if (around_.options.launched) around_.options.launched(number_);
    keeper_.send(run_line(program, arguments));
    enter(Stage::Running, 0);
    if (around_.options.verbosity > 0) errors_.add("running on kernel " + facts_.release + "\n", Clock::now());
    output_.add(heard_, Clock::now());
    heard_.clear();
}

void Session::look_at_run() {
    std::string text;
    const Clock::time_point now = Clock::now();
    const bool ended = keeper_.ended();
    // Output of an ended process is not held back; that of a living one waits for its reader, and is taken in
    // turns with that of others.
    const auto take = [&](const Sink &sink, Lines &lines, bool (Process::*read)(std::string &)) {
        while ((ended || !sink.full()) && (keeper_.*read)(text)) {
            lines.add(text, now);
            text.clear();
            took_ = true;
            if (!ended) break;
        }
    };
    took_ = false;
    take(around_.output, output_, &Process::read_output);
    take(around_.errors, errors_, &Process::read_errors);
    output_.look(now);
    errors_.look(now);
    if (ended) output_.end();
    if (ended || !wrong_.empty()) errors_.end();
    if (!wrong_.empty()) return end(wrong_);
    if (!ended) return;
    if (late_) return end(deadline_text(around_.options) + "; what it had told by then counts");
    if (keeper_.ending().good()) return end("");
    if (keeper_.ending().code() != kLostConnection)
        return end("staprun exited with status " + std::to_string(keeper_.ending().code()));
    const std::string why = complaint_of(said_);
    end("the connection was lost; the host ends the script by itself" + (why.empty() ? "" : ": " + why));
}

void Session::look() {
    if (ended()) {
        if (!gone_) still_there();  // takes what has become of its processes
        return;
    }
    master_.reap();
    keeper_.reap();
    while (master_.read_output(scrap_)) {
        scrap_.clear();
    }
    while (master_.read_errors(said_)) {
    }
    if (stage_ != Stage::Running)
        while (keeper_.read_errors(said_)) {
        }
    if (said_.size() > kMaxAnswer) said_.erase(0, said_.size() - kMaxAnswer);
    look_at_clock();
    if (ended()) return;
    say_alive();
    keeper_.write();
    switch (stage_) {
        case Stage::Connecting:
            return look_for_connection();
        case Stage::Asking:
            return read_keeper();
        case Stage::Building:
            return look_for_module();
        case Stage::Copying:
            return look_at_copy();
        case Stage::Running:
            return look_at_run();
        case Stage::Leaving:
            while (keeper_.read_output(scrap_)) {
                scrap_.clear();
            }
            if (!keeper_.alive() || Clock::now() >= deadline_) end(result_.problem);
            return;
        default:
            return;
    }
}

// ---- ends

void Session::begin_deadline() {
    if (around_.options.deadline_seconds) last_ = Clock::now() + std::chrono::seconds(around_.options.deadline_seconds);
}

// End probes print what there is, in the time that hosts have for their end.
void Session::look_at_clock() {
    if (Clock::now() < last_) return;
    if (stage_ != Stage::Running) return leave(deadline_text(around_.options) + " before the script ran");
    if (late_) {
        output_.end();
        errors_.end();
        return end(deadline_text(around_.options) + " and does not end; the host ends it by itself");
    }
    late_ = true;
    last_ = Clock::now() + std::chrono::seconds(around_.options.end_seconds);
    keeper_.send("TERM\n");
}

// The keeper removes its directory when its input ends.
void Session::leave(const std::string &problem) {
    result_.problem = problem;
    copy_.kill();
    keeper_.end_input();
    last_ = Clock::time_point::max();
    enter(Stage::Leaving, kLeaveSeconds);
}

void Session::end(const std::string &problem) {
    result_.problem = problem;
    copy_.signal(SIGTERM);
    keeper_.signal(SIGTERM);
    master_.signal(SIGTERM);
    enter(Stage::Ended, 0);
}

void Session::stop(int count, const std::string &signal) {
    if (ended()) return;
    if (count >= kLastStop) {
        output_.end();
        errors_.end();
        return end("left while it had yet to end; the host ends it by itself");
    }
    if (stage_ == Stage::Running) return keeper_.send(signal + "\n");
    if (stage_ == Stage::Leaving) return;
    if (stage_ == Stage::Waiting || stage_ == Stage::Connecting) return end("interrupted before the script ran");
    leave("interrupted before the script ran");
}

Clock::time_point Session::deadline() const {
    const Clock::time_point alive = is_kept() ? next_alive_ : Clock::time_point::max();
    return std::min({deadline_, last_, alive, output_.deadline(), errors_.deadline()});
}

bool Session::still_there() {
    for (Process *process : processes())
        process->reap();
    gone_ = ended() && !master_.alive() && !keeper_.alive() && !copy_.alive();
    return !gone_;
}

}  // namespace tapir::remote
