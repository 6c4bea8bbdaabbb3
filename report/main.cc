// SPDX-License-Identifier: GPL-2.0-or-later
// stap-report: pictures of captures.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/quoting.h"
#include "report/confinement.h"
#include "report/inline_names.h"
#include "report/picture.h"
#include "report/report_options.h"

namespace {

using namespace tapir;
using namespace tapir::report;

constexpr int kFailed = 1, kPoor = 3;

void say(const std::string &text) {
    std::fprintf(stderr, "stap-report: %s\n", printable(text).c_str());
}

int fail(const std::string &text) {
    say(text);
    return kFailed;
}

struct Files {
    Descriptor input, before, output;
    bool terminal = false;  // that is where the output goes
};

Outcome<void> open_input(const std::string &path, Descriptor &to) {
    to = path == "-" ? Descriptor(dup(STDIN_FILENO)) : Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (to.get() >= 0) return {};
    return Fault{FaultTag::FileUnreadable, "'" + path + "' cannot be read: " + strerror(errno)};
}

// What is in the output's file stays until there is something better.
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

Outcome<void> open_files(const Options &options, Files &files) {
    if (Outcome<void> good = open_input(options.input, files.input); !good) return good;
    if (!options.before.empty())
        if (Outcome<void> good = open_input(options.before, files.before); !good) return good;
    if (Outcome<void> good = open_output(options.output, files.input, files.output); !good) return good;
    // Later the process may not ask any more.
    files.terminal = isatty(files.output.get()) != 0;
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
    return Fault{FaultTag::FileUnwritable, "'" + options.output + "' cannot be written: " + strerror(errno)};
}

Outcome<capture::Capture> read(const Descriptor &from, const std::string &name, const Options &options) {
    Outcome<capture::Capture> capture = capture::read_capture(from.get());
    if (!capture) return Fault{capture.fault().tag, "'" + name + "': " + capture.fault().text, capture.fault().hint};
    if (options.inlined)
        for (const std::string &missing : add_inline_names(*capture))
            say(missing);
    return capture;
}

#ifndef TAPIR_UNCONFINED
// A capture that takes most of the machine's memory ends this process, and nothing else.
void limit_memory() {
    const auto pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || bytes <= 0) return;
    const auto most = static_cast<rlim_t>(pages) / 4 * 3 * static_cast<rlim_t>(bytes);
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
    say("'" + name + "': " + complaint + "; --accept-partial takes it as it is");
    return true;
}

int render(const Options &options, const Files &files) {
    const Outcome<capture::Capture> capture = read(files.input, options.input, options);
    if (!capture) return fail(capture.fault().message());
    FrameTable frames;
    const Profile profile = make_profile(*capture, options.profile, frames);
    std::optional<Profile> before;
    if (!options.before.empty()) {
        const Outcome<capture::Capture> other = read(files.before, options.before, options);
        if (!other) return fail(other.fault().message());
        before = make_profile(*other, options.profile, frames);
        if (before->unit != profile.unit)
            return fail("'" + options.before + "' is in " + before->unit + ", '" + options.input + "' in " +
                        profile.unit + "; --count compares the numbers of samples");
    }
    if (options.format->render && profile.rows.empty())
        return fail("'" + options.input + "' has no samples to make a picture of; scripts take them with @sample");
    const Picture picture{frames, profile, before ? &*before : nullptr};
    std::string content = options.format->render ? options.format->render(picture) : render_text(picture, *capture);
    if (files.terminal) {
        if (options.format->name == "pprof")
            return fail("a profile for pprof is no text for a terminal; -o FILE.pb.gz keeps it");
        content = for_terminal(content);
    }
    if (const Outcome<void> written = write_output(files, options, content); !written)
        return fail(written.fault().message());
    bool poor = complain(profile.quality, options.input, options);
    if (before && complain(before->quality, options.before, options)) poor = true;
    return poor ? kPoor : 0;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        const Outcome<Options> options = parse_options({argv + 1, argv + argc});
        if (!options) return fail(options.fault().message());
        if (options->help || options->version) {
            std::fputs(options->help ? help_text().c_str() : "stap-report (Tapir) " TAPIR_VERSION "\n", stdout);
            return 0;
        }
        Files files;
        if (const Outcome<void> opened = open_files(*options, files); !opened) return fail(opened.fault().message());
#ifndef TAPIR_UNCONFINED
        limit_memory();
        const std::string problem = confine(options->inlined ? Reads::Files : Reads::Nothing);
        if (!problem.empty()) return fail("this process cannot give up its rights: " + problem);
#endif
        return render(*options, files);
    } catch (const std::bad_alloc &) {
        return fail("there is not enough memory for this capture");
    }
}
