// SPDX-License-Identifier: GPL-2.0-or-later
// stap-report: pictures of captures. A process of its own reads the capture, because it gives up its rights before;
// this one waits for it, removes the file if there is no picture, and asks the system for packages.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <set>

#include "capture/picture_files.h"
#include "common/activity.h"
#include "common/descriptor.h"
#include "common/files.h"
#include "common/quoting.h"
#include "common/run_program.h"
#include "common/screen.h"
#include "common/standard_output.h"
#include "report/capture_folder.h"
#include "report/confinement.h"
#include "report/fetched_names.h"
#include "report/guest_frames.h"
#include "report/inline_names.h"
#include "report/nameless_files.h"
#include "report/no_samples.h"
#include "report/origin.h"
#include "report/picture.h"
#include "report/report_options.h"
#include "report/tables.h"
#include "report/trust.h"

namespace {

using namespace tapir;
using namespace tapir::report;

constexpr int kFailed = 1, kPoor = capture::kPoorPicture;
// Where the process that reads the capture tells of files without names; from the next on it gets files with names.
constexpr int kNamelessDescriptor = 3, kFirstFile = 4;
// How it is started, with the number of these files behind it, or kOnlyBuilds: it tells the builds that lack names, and
// makes no picture. Users do not see this option.
constexpr char kConfined[] = "--confined", kOnlyBuilds[] = "builds";

// Looked at before this process gives up its rights.
const Screen &screen() {
    static const Screen screen = screen_of(STDERR_FILENO, Coloring::Auto);
    return screen;
}

void say(const std::string &text, Voice voice = Voice::Error) {
    if (screen().for_people)
        std::fputs(said(screen(), voice, text).c_str(), stderr);
    else
        std::fprintf(stderr, "stap-report: %s\n", printable(text).c_str());
}

int fail(const std::string &text) {
    say(text);
    return kFailed;
}

struct Files {
    Descriptor input, before, output;
    std::vector<CaptureFile> folder;  // in place of the input
    bool terminal = false;            // that is where the output goes
    size_t columns = 0;               // of the text summary
    tapir_screen screen = {};         // of tables
    FetchedFiles fetched;
    uint64_t fetched_bytes = 0;
};

Outcome<void> open_input(const std::string &path, Descriptor &to) {
    to = path == "-" ? Descriptor(dup(STDIN_FILENO)) : Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (to.get() >= 0) return {};
    const std::string name = path == "-" ? "standard input" : "'" + path + "'";
    return Fault{FaultTag::FileUnreadable, name + " cannot be read: " + strerror(errno)};
}

// Keeps the content of the output's file until there is a picture to replace it.
Outcome<void> open_output(const std::string &path, const Descriptor &input, Descriptor &to) {
    to = path == "-" ? Descriptor(dup(STDOUT_FILENO))
                     : Descriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    struct stat in = {}, out = {};
    if (to.get() < 0 || fstat(to.get(), &out) != 0)
        return Fault{FaultTag::FileUnwritable, "'" + path + "' cannot be written: " + strerror(errno)};
    if (fstat(input.get(), &in) == 0 && S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        return Fault{FaultTag::Misuse, "'" + path + "' is the capture itself"};
    return {};
}

Outcome<void> open_inputs(const Options &options, Files &files) {
    if (options.span) {
        Outcome<std::vector<CaptureFile>> folder = open_folder(options.input, *options.span);
        if (!folder) return folder.fault();
        files.folder = std::move(*folder);
        return {};
    }
    if (Outcome<void> good = open_input(options.input, files.input); !good) return good;
    return options.before.empty() ? Outcome<void>() : open_input(options.before, files.before);
}

Outcome<void> open_files(const Options &options, Files &files) {
    if (Outcome<void> good = open_inputs(options, files); !good) return good;
    if (Outcome<void> good = open_output(options.output, files.input, files.output); !good) return good;
    // Later the process may not ask any more.
    files.terminal = isatty(files.output.get()) != 0;
    files.columns = std::max<size_t>(screen_width(files.output.get()), 40);
    tapir_screen_read(&files.screen, files.output.get());
    return {};
}

// Lines as terminals may get them: a capture can be somebody else's.
std::string for_terminal(const std::string &text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find('\n', at), text.size());
        out += printable(std::string_view(text).substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out;
}

Outcome<void> write_output(const Files &files, const Options &options, const std::string &content) {
    const int fd = files.output.get();
    struct stat about = {};
    const bool file = options.output != "-" && fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    if ((!file || ftruncate(fd, 0) == 0) && write_all(fd, content)) return {};
    const std::string name = options.output == "-" ? "standard output" : "'" + options.output + "'";
    return Fault{FaultTag::FileUnwritable, name + " cannot be written: " + strerror(errno)};
}

// The name of the input in messages.
std::string name_of(const std::string &input, const Options &options) {
    if (input != "-") return "'" + input + "'";
    return options.output == "-" ? "standard input" : "'" + options.output + "'";
}

Outcome<capture::Capture> read(const Descriptor &from, const std::string &name) {
    Outcome<capture::Capture> capture = capture::read_capture(from.get());
    if (!capture) return Fault{capture.fault().tag, name + ": " + capture.fault().text, capture.fault().hint};
    return capture;
}

Outcome<capture::Capture> read_input(Files &files, const std::string &name, const Options &options) {
    if (!options.span) return read(files.input, name);
    std::vector<std::string> complaints;
    Outcome<capture::Capture> capture = read_folder(std::move(files.folder), *options.span, complaints);
    for (const std::string &complaint : complaints)
        say(complaint, Voice::Notice);
    if (!capture) return Fault{capture.fault().tag, name + ": " + capture.fault().text, capture.fault().hint};
    return capture;
}

void add_names(capture::Capture &capture, const Options &options, const FetchedFiles &fetched) {
    if (options.inlined)
        for (const std::string &missing : add_inline_names(capture, fetched))
            say(missing, Voice::Notice);
    add_fetched_names(capture, fetched);
}

#ifndef TAPIR_UNCONFINED
// Pictures take more than the captures that they are of, but not without limit.
void limit_memory(const Files &files) {
    constexpr rlim_t kProgram = rlim_t{256} << 20, kTimes = 4;
    const auto limit_of = [](const Descriptor &input) {
        struct stat about = {};
        const bool known = input.get() >= 0 && fstat(input.get(), &about) == 0 && S_ISREG(about.st_mode);
        return input.get() < 0 ? 0 : capture::memory_limit(known ? static_cast<uint64_t>(about.st_size) : UINT64_MAX);
    };
    uint64_t captured = 0;
    for (const CaptureFile &file : files.folder)
        captured += file.bytes;
    const rlim_t joined = files.folder.empty() ? 0 : capture::memory_limit(captured);
    rlim_t most = kProgram + kTimes * (limit_of(files.input) + limit_of(files.before) + joined) + files.fetched_bytes;
    const auto pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    // One that takes most of the machine's memory ends this process, and nothing else.
    if (pages > 0 && bytes > 0) most = std::min(most, static_cast<rlim_t>(pages) / 4 * 3 * static_cast<rlim_t>(bytes));
    const rlimit limit = {most, most};
    // Without it the kernel has to decide.
    [[maybe_unused]] const int set = setrlimit(RLIMIT_AS, &limit);
}
#endif

// Whether the exit status has to tell that it is poor.
bool complain(const Quality &quality, const std::string &name, const Options &options) {
    if (options.accept_partial) return false;
    const std::string complaint = quality_complaint(quality, options.min_quality);
    if (complaint.empty()) return false;
    say(name + ": " + complaint + "; --accept-partial takes it as it is", Voice::Notice);
    return true;
}

// For the process that waits.
void tell_nameless(const Quality &quality, const capture::Capture &capture) {
    std::string text;
    for (const Nameless &nameless : quality.nameless) {
        std::string build_id;
        // A file may be there several times, as one that could not be read in some process and has no build-id there.
        for (const auto &[id, object] : capture.objects)
            if (build_id.empty() && (clean(object.path) == nameless.object || clean(object.started) == nameless.object))
                build_id = clean(object.build_id);
        text += nameless_line({nameless.percent, nameless.text, nameless.object, build_id});
        if (text.size() > 4096) break;
    }
    // No program reads this if a user started the process.
    [[maybe_unused]] const bool told = write_all(kNamelessDescriptor, text);
}

Outcome<void> check_labels(const capture::Capture &capture, const std::string &name, const Options &options) {
    std::set<std::string> known;
    for (const capture::Sample &sample : capture.samples)
        for (const capture::Label &label : sample.labels)
            if (label.key != kFramesLabel) known.insert(label.key);
    std::string list;
    for (const std::string &key : known)
        list += (list.empty() ? "" : ", ") + key;
    for (const std::string &key : options.profile.by)
        if (!known.contains(key) && !capture.samples.empty())
            return Fault{FaultTag::Misuse,
                         "no sample of " + name + " has the label '" + key + "'" +
                             (list.empty() ? "" : " (there are: " + list + ")"),
                         "'stap --times --record=FILE' keeps comm, pid, tid and cpu of each sample"};
    if (!options.profile.from || capture.samples.empty()) return {};
    for (const capture::Sample &sample : capture.samples)
        if (sample.time) return {};
    return Fault{FaultTag::Misuse, "the samples of " + name + " have no times, so --from has no meaning",
                 "'stap --times --record=FILE' keeps them"};
}

void tell_unknown(const capture::Capture &capture, const std::string &name) {
    if (capture.unknown)
        say(name + ": left out " + capture::counted_text(capture.unknown, "record") +
                " of kinds that this version of stap-report does not know",
            Voice::Notice);
}

int print_tables(const capture::Capture &capture, const std::string &name, const Options &options, const Files &files) {
    Outcome<std::string> content = tables_text(capture, *options.tables, files.screen);
    if (!content) return fail(name + ": " + content.fault().message());
    if (files.terminal) content = for_terminal(*content);
    if (const Outcome<void> written = write_output(files, options, *content); !written)
        return fail(written.fault().message());
    const std::string complaint = options.accept_partial ? "" : rows_complaint(capture);
    if (!complaint.empty()) say(name + ": " + complaint + "; --accept-partial takes it as it is", Voice::Notice);
    return complaint.empty() ? 0 : kPoor;
}

int render(const Options &options, Files &files) {
    const std::string name = name_of(options.input, options);
    Outcome<capture::Capture> capture = read_input(files, name, options);
    if (!capture) return fail(capture.fault().message());
    add_names(*capture, options, files.fetched);
    tell_unknown(*capture, name);
    if (options.tables) return print_tables(*capture, name, options, files);
    if (const Outcome<void> good = check_labels(*capture, name, options); !good) return fail(good.fault().message());
    FrameTable frames;
    const Profile profile = make_profile(*capture, options.profile, frames);
    std::optional<Profile> before;
    if (!options.before.empty()) {
        const std::string other_name = name_of(options.before, options);
        Outcome<capture::Capture> other = read(files.before, other_name);
        if (!other) return fail(other.fault().message());
        add_names(*other, options, files.fetched);
        before = make_profile(*other, options.profile, frames);
        if (before->unit != profile.unit)
            return fail(other_name + " is in " + before->unit + ", " + name + " in " + profile.unit +
                        "; --count compares the numbers of samples");
    }
    const Picture picture{frames, profile, before ? &*before : nullptr};
    std::string content;
    if (options.check)
        content = check_json(picture);
    else if (options.format->render)
        content = options.format->render(picture);
    else
        content = render_text(picture, *capture, {files.columns, options.all, files.screen});
    if (files.terminal) {
        if (options.format->name == "pprof")
            return fail("a profile for pprof cannot be shown on a terminal; write it to a file with -o FILE.pb.gz");
        content = for_terminal(content);
    }
    if (const Outcome<void> written = write_output(files, options, content); !written)
        return fail(written.fault().message());
    if (options.output != "-")
        std::fprintf(
            stderr, "wrote %s: %s\n", printable(options.output).c_str(),
            (profile.rows.empty() ? "no samples" : taken_text(picture) + ", " + trust_of(profile).text).c_str());
    // A picture of nothing was made, too, and says the same.
    const std::string why = no_samples_text(profile);
    if (!why.empty() && (options.output != "-" || options.format->render) && !options.check)
        std::fprintf(stderr, "notice: %s\n", printable(why).c_str());
    // Warnings that the picture misleads stand last, next to the prompt.
    bool poor = complain(profile.quality, name, options);
    if (before && complain(before->quality, name_of(options.before, options), options)) poor = true;
    tell_nameless(profile.quality, *capture);
    return poor ? kPoor : 0;
}

void take_fetched(size_t count, Files &files) {
    for (size_t i = 0; i < count; i++) {
        struct stat about = {};
        if (fstat(kFirstFile + static_cast<int>(i), &about) == 0)
            files.fetched_bytes += static_cast<uint64_t>(about.st_size);
    }
    files.fetched = take_files(kFirstFile, count);
}

// "": done; else why this process may not go on.
std::string give_up_rights([[maybe_unused]] const Files &files, [[maybe_unused]] Reads reads) {
#ifndef TAPIR_UNCONFINED
    limit_memory(files);
    screen();
    const std::string problem = confine(reads);
    if (!problem.empty()) return "this process cannot give up its rights: " + problem;
#endif
    return "";
}

// Problems of captures are told by the process that makes the picture.
int tell_builds(const Options &options) {
    Files files;
    if (!open_inputs(options, files)) return 0;
    if (const std::string problem = give_up_rights(files, Reads::Nothing); !problem.empty()) return fail(problem);
    std::string builds;
    if (options.span) {
        std::vector<std::string> complaints;
        if (const auto all = read_folder(std::move(files.folder), *options.span, complaints); all)
            builds += wanted_builds(*all, options.inlined);
    }
    for (const Descriptor *input : {&files.input, &files.before}) {
        if (input->get() < 0) continue;
        if (const Outcome<capture::Capture> capture = capture::read_capture(input->get()))
            builds += wanted_builds(*capture, options.inlined);
    }
    return write_all(kNamelessDescriptor, builds) ? 0 : kFailed;
}

// The process that reads the capture.
int read_confined(const Options &options, const std::string &mode) {
    if (mode == kOnlyBuilds) return tell_builds(options);
    Files files;
    if (const Outcome<void> opened = open_files(options, files); !opened) return fail(opened.fault().message());
    take_fetched(std::strtoul(mode.c_str(), nullptr, 10), files);
    const std::string problem = give_up_rights(files, options.inlined ? Reads::Files : Reads::Nothing);
    return problem.empty() ? render(options, files) : fail(problem);
}

Program confined(const std::vector<std::string> &arguments, const std::string &mode) {
    Program program{{"stap-report", kConfined, mode}, "/proc/self/exe"};
    program.argv.insert(program.argv.end(), arguments.begin(), arguments.end());
    program.input = Stream::inherited();
    program.death_signal = SIGKILL;
    return program;
}

// Standard input that is read twice.
Descriptor kept_input(const Options &options) {
    std::string content;
    if (options.input != "-" && options.before != "-") return Descriptor();
    return read_descriptor(STDIN_FILENO, SIZE_MAX, content) == 0 ? memory_file("capture", content) : Descriptor();
}

// Asks servers for what names the builds that lack names.
std::vector<Descriptor> fetch_names(Program program, const debuginfod::DebugServers &servers) {
    Collected builds;
    program.argv[2] = kOnlyBuilds;
    program.output = Stream::nothing();
    program.further = {{kNamelessDescriptor, Stream::collected(builds)}};
    std::vector<std::string> notices;
    std::vector<Descriptor> files;
    if (const Outcome<Ending> ended = run_program(program); ended && ended->good())
        files = fetch_builds(builds.text, servers, notices);
    for (const std::string &notice : notices)
        say(notice, Voice::Notice);
    return files;
}

// The one that waits for it.
int start_confined(const std::vector<std::string> &arguments, const Options &options) {
    struct stat about = {};
    const bool fresh = options.output != "-" && lstat(options.output.c_str(), &about) != 0 && errno == ENOENT;
    const Outcome<debuginfod::DebugServers> servers = debuginfod::servers_of_settings(options.server);
    if (!servers) return fail(servers.fault().message());
    Program program = confined(arguments, "0");
    Descriptor input;
    std::vector<Descriptor> files;
    const bool has_names = !servers->urls.empty() || is_directory(servers->cache);
    if (has_names && !options.tables) {
        if (isatty(STDERR_FILENO)) Activity::show_on(STDERR_FILENO);
        input = kept_input(options);
        if (input.get() >= 0) program.input = Stream::descriptor(input.get());
        files = fetch_names(program, *servers);
        if (input.get() >= 0) lseek(input.get(), 0, SEEK_SET);
        program.argv[2] = std::to_string(files.size());
    }
    Collected nameless;
    program.further = {{kNamelessDescriptor, Stream::collected(nameless)}};
    for (size_t i = 0; i < files.size(); i++)
        program.further.emplace_back(kFirstFile + static_cast<int>(i), Stream::descriptor(files[i].get()));
    const Outcome<Ending> ending = run_program(program);
    const int status = ending ? ending->code() : kFailed;
    if (!ending) say(ending.fault().message());
    // Files that have a picture are not empty.
    if (fresh && status != 0 && lstat(options.output.c_str(), &about) == 0 && S_ISREG(about.st_mode) && !about.st_size)
        unlink(options.output.c_str());
    for (const std::string &notice : nameless_notices(nameless.text))
        std::fprintf(stderr, "%s\n", printable(notice).c_str());
    return status;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        std::string mode;
        if (arguments.size() > 1 && arguments[0] == kConfined) {
            mode = arguments[1];
            arguments.erase(arguments.begin(), arguments.begin() + 2);
        }
        const Outcome<Options> options = parse_options(arguments);
        if (!options) return fail(options.fault().message());
        if (options->help || options->version) {
            print_output(options->help ? help_text() : "stap-report (Tapir) " TAPIR_VERSION "\n");
            const Outcome<void> printed = finish_output();
            return printed ? 0 : fail(printed.fault().message());
        }
        return mode.empty() ? start_confined(arguments, *options) : read_confined(*options, mode);
    } catch (const std::bad_alloc &) {
        return fail("this capture takes more memory than captures of its size do, or than this machine has");
    }
}
