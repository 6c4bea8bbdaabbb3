// SPDX-License-Identifier: GPL-2.0-or-later
// records-staprun: the staprun of guest cases that run for their records (run.sh --records). A session that would write
// text writes records instead. They are kept in the folder $RECORDS for the host, which checks them; the text that the
// case looks at is made of them. A case that asks for records gets them. It sees a process that takes signals and ends
// as staprun does. What has no records, such as `staprun -d`, is staprun itself.
// records-staprun --text: writes the text of the records on standard input, for tests that compare it.
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "capture/picture_files.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/find_program.h"
#include "common/program_start.h"
#include "loader_options.h"
#include "local_time.h"
#include "record_text.h"

namespace tapir::guest_tests {
namespace {

constexpr int kForwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

// Whether a session writes records, or text that records can stand for.
bool has_records(const staprun::Options &options) {
    return (options.action == staprun::Action::Run || options.action == staprun::Action::Attach) &&
           options.form != TAPIR_FORM_CSV && !options.load_only && !options.bulk && !options.daemon &&
           !options.timing && !options.rotate_bytes && !capture::names_picture(options.output_file);
}

// Takes the whole lines out of `records`, and returns their text. `whole` becomes false if a record has none.
std::string take_text(std::string &records, bool &whole) {
    std::string text;
    size_t begin = 0;
    for (size_t end; (end = records.find('\n', begin)) != std::string::npos; begin = end + 1) {
        const auto made = record_text(std::string_view(records).substr(begin, end - begin));
        whole &= made.has_value();
        text += made.value_or("");
    }
    records.erase(0, begin);
    return text;
}

// Keeps the records, and writes what the case expects.
class Records {
  public:
    Records(std::string path, int output, bool as_text) : path_(std::move(path)), output_(output), as_text_(as_text) {}

    // False with errno.
    bool open() {
        kept_ = Descriptor(::open(open_path().c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        return kept_.get() >= 0;
    }
    void take(std::string_view bytes) {
        kept_any_ |= !bytes.empty();
        write_all(kept_.get(), bytes);
        if (!as_text_) {
            write_all(output_, bytes);
            return;
        }
        waiting_ += bytes;
        write_all(output_, take_text(waiting_, whole_));
    }
    // The records are for the host now, unless the session was killed, and has left some without an end. Those of a
    // killed process of this program stay open, too. False with errno.
    bool finish(bool killed) {
        if (kept_any_ && !killed && rename(open_path().c_str(), (path_ + ".json").c_str()) != 0) return false;
        return whole_ || replace_file(path_ + ".partial", "");
    }

  private:
    std::string open_path() const { return path_ + ".open"; }

    std::string path_, waiting_;
    int output_;
    bool as_text_;
    Descriptor kept_;
    bool whole_ = true, kept_any_ = false;
};

// Reads until there is nothing more for now. False: the pipe has no writer.
bool read_all(int fd, Records &records) {
    char buffer[65536];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) records.take({buffer, static_cast<size_t>(got)});
    return got < 0 && errno == EAGAIN;
}

int complain(const std::string &what) {
    perror(("records-staprun: " + what).c_str());
    return 125;
}

// Waits for the session's end, and returns its status as of waitpid(2).
int follow(pid_t session, int pipe, int signals, Records &records) {
    int status = 0;
    for (pollfd ready[] = {{signals, POLLIN, 0}, {pipe, POLLIN, 0}};;) {
        if (poll(ready, 2, -1) < 0) continue;
        if (ready[1].revents && !read_all(pipe, records)) ready[1].fd = -1;
        signalfd_siginfo information;
        if (!(ready[0].revents & POLLIN) || read(signals, &information, sizeof information) != sizeof information)
            continue;
        if (information.ssi_signo != SIGCHLD) {
            kill(session, static_cast<int>(information.ssi_signo));
        } else if (waitpid(session, &status, WNOHANG) == session) {
            read_all(pipe, records);
            return status;
        }
    }
}

// Runs the session with its records in a pipe. Returns the exit status.
int run(std::vector<std::string> words, const staprun::Options &options, const std::string &folder) {
    const std::string session_id = std::to_string(getpid()), name = folder + "/" + session_id;
    // The guest's own file system: that of the host has no pipes.
    const std::string pipe_name = "/tmp/records-staprun." + session_id;
    Descriptor file;
    int output = STDOUT_FILENO;
    if (!options.output_file.empty()) {
        const std::string path = staprun::expand_time(options.output_file, time(nullptr));
        file = Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if ((output = file.get()) < 0) return complain(path);
    }
    const bool as_text = options.form == TAPIR_FORM_TEXT;
    Records records(name, output, as_text);
    if (!records.open() || mkfifo(pipe_name.c_str(), 0600) != 0) return complain(name);
    const Descriptor pipe(open(pipe_name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (pipe.get() < 0) return complain(pipe_name);

    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (int number : kForwarded)
        sigaddset(&taken, number);
    sigprocmask(SIG_BLOCK, &taken, nullptr);
    const Descriptor signals(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));

    size_t end = 1;
    while (end < words.size() && words[end] != "--")
        ++end;
    words.insert(words.begin() + static_cast<ptrdiff_t>(end), {"--format=json", "-o", pipe_name});
    Program program{words};
    program.file = program_beside("staprun");
    program.input = Stream::inherited();
    // The command's output is not among records on standard output.
    if (!as_text && options.output_file.empty()) program.output = Stream::descriptor(STDERR_FILENO);
    program.errors = Stream::inherited();
    program.inherits_descriptors = true;
    program.death_signal = SIGKILL;
    ProgramStart start;
    if (!start.prepare(program)) return complain("staprun");
    const auto session = start.launch();
    if (!session) return complain("staprun");
    const int status = follow(*session, pipe.get(), signals.get(), records);
    unlink(pipe_name.c_str());
    if (!records.finish(WIFSIGNALED(status))) return complain(name);
    if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &taken, nullptr);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

// Returns the exit status.
int write_text() {
    std::string records;
    char buffer[65536];
    for (ssize_t got; (got = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
        records.append(buffer, static_cast<size_t>(got));
    bool whole = true;
    return write_all(STDOUT_FILENO, take_text(records, whole)) ? 0 : complain("standard output");
}

}  // namespace
}  // namespace tapir::guest_tests

int main(int argc, char **argv) {
    using namespace tapir;
    std::vector<std::string> words(argv, argv + argc);
    if (argc == 2 && words[1] == "--text") return guest_tests::write_text();
    const staprun::ParsedOptions parsed = staprun::parse_options(words);
    const char *folder = getenv("RECORDS");
    if (folder && parsed.outcome && guest_tests::has_records(parsed.options))
        return guest_tests::run(words, parsed.options, folder);
    execv(program_beside("staprun").c_str(), argv);
    return guest_tests::complain("staprun");
}
