// SPDX-License-Identifier: GPL-2.0-or-later
// staprun: inserts a module made by stap, runs its session, removes it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "admission.h"
#include "audit.h"
#include "common/plain_text.h"
#include "common/standard_output.h"
#include "events.h"
#include "loader_options.h"
#include "machine/examine.h"
#include "messages.h"
#include "output.h"
#include "privileges.h"
#include "remove.h"
#include "run.h"

using namespace tapir::staprun;

// Descriptors 0 to 2 that are closed would be taken by the next open(): something else would be written to.
static void occupy_standard_descriptors() {
    int fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDONLY);
    if (fd > STDERR_FILENO) close(fd);
}

// Returns 0 or errno.
static int print(int fd, const std::string &text) {
    size_t written = 0;
    const tapir::WriteResult result = tapir::write_patiently(
        fd, text,
        [](int) {
            usleep(10000);
            return true;
        },
        written);
    return result == tapir::WriteResult::Ok ? 0 : errno;
}

// Prints what was asked for. Returns `status`; 1 if it could not be written.
static int answer(const std::string &text, int status) {
    const tapir::Outcome<void> printed = tapir::output_outcome(print(STDOUT_FILENO, text));
    if (printed) return status;
    const tapir::Screen screen = tapir::screen_of(STDERR_FILENO, tapir::Coloring::Auto);
    print(STDERR_FILENO, told(screen, tapir::Voice::Error, printed.fault().message()));
    return 1;
}

static int examine_machine(const Options &options) {
    using namespace tapir::machine;
    const Facts facts = read_facts();
    const std::vector<Group> groups = examine_target(facts, read_details(facts));
    const int status = failures(groups).empty() ? 0 : 1;
    if (options.json) return answer(render_json(groups, conclusion(groups)), status);
    Verdict told = verdict(groups, facts.release);
    told.all = "staprun --doctor -v";
    const tapir::Screen screen = tapir::screen_of(STDOUT_FILENO, options.color);
    return answer((options.verbose ? render : summarize)(groups, told, screen), status);
}

static void audit_refusal(const Caller &caller, const Options &options, const tapir::Fault &refusal) {
    AuditRecord record = {event_of(options.action), "refused", caller};
    record.module = options.action != Action::Remove ? options.module
                    : options.modules.empty()        ? ""
                                                     : options.modules[0];
    record.tag = tapir::tag_word(refusal.tag);
    record.reason = refusal.message();
    write_audit(record);
}

// Where the caller's limits leave no room.
static void end_without_memory() {
    constexpr char text[] = "ERROR: out of memory\n";
    const ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
    (void)ignored;
    _exit(1);
}

int main(int argc, char **argv) {
    std::set_new_handler(end_without_memory);
    occupy_standard_descriptors();
    const Caller caller = enter_process();
    ParsedOptions parsed = parse_options(std::vector<std::string>(argv, argv + argc));
    Options &options = parsed.options;
    if (!parsed.outcome) {
        const tapir::Fault &misuse = parsed.outcome.fault();
        if (caller.restricted()) audit_refusal(caller, options, misuse);
        const tapir::Screen screen = tapir::screen_of(STDERR_FILENO, tapir::Coloring::Auto);
        print(STDERR_FILENO, told(screen, tapir::Voice::Error, misuse.message()) +
                                 (screen.for_people ? "\n" + result_line(screen, "error", "Nothing ran.",
                                                                         "staprun --help, man staprun")
                                                    : usage_text()));
        return 1;
    }
    if (options.action == Action::Help || options.action == Action::Version)
        return answer(options.action == Action::Help ? usage_text() : version_text(), 0);
    if (options.action == Action::Doctor) {
        drop_all_privileges();
        return examine_machine(options);
    }
    const char *environment = getenv("SYSTEMTAP_VERBOSE");
    uint64_t level = 0;
    if (environment && tapir::parse_unsigned(environment, level) && level > options.verbose)
        options.verbose = static_cast<unsigned>(level);

    tapir::WaitWritable wait;
    Messages messages([&wait](std::string_view text) {
        size_t written = 0;
        // Without a session nothing is lost by waiting for stderr.
        tapir::write_patiently(
            STDERR_FILENO, text, [&wait](int fd) { return wait ? wait(fd) : (usleep(10000), true); }, written);
    });
    messages.set_style({options.verbose, options.no_warnings, tapir::screen_of(STDERR_FILENO, options.color)});
    if (const tapir::Outcome<void> admitted = check_caller(caller, options); !admitted) {
        audit_refusal(caller, options, admitted.fault());
        messages.error(admitted.fault().message());
        return 1;
    }
    if (options.action == Action::Remove) return remove_modules(options.modules, caller, messages);
    SystemEvents events;
    return run_session(options, caller, events, messages, wait);
}
