// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/guest_capture.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "backend/launch.h"
#include "capture/picture_files.h"
#include "options/picture_options.h"
#include "options/tell.h"

namespace tapir::driver {

namespace {

constexpr char kName[] = "/capture";

// Copies the whole file. 0 or errno.
int copy(int from, int to) {
    off_t at = 0;
    for (;;) {
        const ssize_t sent = sendfile(to, from, &at, size_t{1} << 30);
        if (sent == 0) return 0;
        if (sent < 0 && errno != EINTR) return errno;
    }
}

}  // namespace

GuestCapture::GuestCapture(const Options &options, bool has_samples)
    : options_(options), draws_(has_samples && capture::names_picture(options.output)) {}

bool GuestCapture::prepare(Options &inside, vm::VmOptions &settings, Diagnostics &diagnostics) {
    if (!wanted()) return true;
    if (draws_) {
        const std::optional<std::string> picture = output_file(options_.output, diagnostics);
        if (!picture) return false;
        picture_ = *picture;
    }
    if (!options_.record.empty()) {
        record_ = Descriptor(open(options_.record.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (record_.get() < 0) {
            diagnostics.report(Tag::OutputUnwritable,
                               "Cannot write the capture '" + options_.record + "': " + std::strerror(errno) + ".");
            return false;
        }
    }
    const Outcome<std::string> made = make_directory(temporary_root(), "tapir-capture");
    if (!made) {
        diagnostics.report(Tag::OutputUnwritable, "Cannot make a directory for samples: " + made.fault().message());
        return false;
    }
    directory_.emplace(*made);
    settings.shares.push_back({*made, *made});
    inside.record = *made + kName;
    inside.recorded_as = options_.record;
    if (!draws_) return true;
    inside.output.clear();
    inside.from.clear();
    inside.min_quality.clear();
    inside.accept_partial = false;
    inside.own.clear();
    return true;
}

int GuestCapture::keep(int capture) const {
    const int error = copy(capture, record_.get());
    if (error)
        tell(options_, Voice::Error, "Cannot write the capture '" + options_.record + "': " + std::strerror(error));
    return error ? 1 : 0;
}

int GuestCapture::draw(int capture) const {
    std::vector<std::string> arguments = {"-", "-o", picture_};
    add_report_options(options_, arguments);
    return run_stap_report(options_, std::move(arguments), capture);
}

int GuestCapture::finish(int status) {
    if (!wanted()) return status;
    // The guest may have put anything there.
    const Descriptor capture(
        open((directory_->path() + kName).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about = {};
    if (capture.get() < 0 || fstat(capture.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0) {
        // An earlier message says why the session did not start.
        if (status) return status;
        tell(options_, Voice::Error, "the guest has left no capture: the samples are lost");
        return 1;
    }
    const int kept = options_.record.empty() ? 0 : keep(capture.get());
    const int drawn = draws_ ? draw(capture.get()) : 0;
    return status ? status : kept ? kept : drawn;
}

}  // namespace tapir::driver
