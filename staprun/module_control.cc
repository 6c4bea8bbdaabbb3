// SPDX-License-Identifier: GPL-2.0-or-later
#include "module_control.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "privileges.h"

namespace tapir::staprun {

namespace {

class ControlFile final : public Control {
  public:
    explicit ControlFile(int fd) : fd_(fd) {}
    ~ControlFile() override { close(fd_); }
    ControlFile(const ControlFile &) = delete;
    ControlFile &operator=(const ControlFile &) = delete;

    int hello(tapir_ioc_hello &out) override { return call(TAPIR_IOC_HELLO, &out); }
    int config(const tapir_ioc_config &in) override {
        return call(TAPIR_IOC_CONFIG, const_cast<tapir_ioc_config *>(&in));
    }
    int set_global(const std::string &name, const std::string &value) override {
        tapir_ioc_global global = {};
        if (name.size() >= sizeof global.name) return ENAMETOOLONG;
        memcpy(global.name, name.data(), name.size());
        global.value = reinterpret_cast<uintptr_t>(value.c_str());
        global.length = static_cast<u32>(value.size());
        return call(TAPIR_IOC_GLOBAL, &global);
    }
    int symbol_get(tapir_ioc_symbol &inout) override { return call(TAPIR_IOC_SYMBOL_GET, &inout); }
    int symbol_set(const tapir_ioc_symbol &in) override {
        return call(TAPIR_IOC_SYMBOL_SET, const_cast<tapir_ioc_symbol *>(&in));
    }
    int object(tapir_ioc_object &inout) override { return call(TAPIR_IOC_OBJECT, &inout); }
    int format(tapir_ioc_format &inout) override { return call(TAPIR_IOC_FORMAT, &inout); }
    int program_get(tapir_ioc_program &inout) override { return call(TAPIR_IOC_PROGRAM_GET, &inout); }
    int program_set(const tapir_ioc_program &in) override {
        return call(TAPIR_IOC_PROGRAM_SET, const_cast<tapir_ioc_program *>(&in));
    }
    int cgroup(const tapir_ioc_cgroup &in) override {
        return call(TAPIR_IOC_CGROUP, const_cast<tapir_ioc_cgroup *>(&in));
    }
    int budget(const tapir_ioc_budget &in) override {
        return call(TAPIR_IOC_BUDGET, const_cast<tapir_ioc_budget *>(&in));
    }
    int start() override { return call(TAPIR_IOC_START, nullptr); }
    int stop() override { return call(TAPIR_IOC_STOP, nullptr); }
    int interrupt() override { return call(TAPIR_IOC_INTERRUPT, nullptr); }
    int detach() override { return call(TAPIR_IOC_DETACH, nullptr); }
    int snapshot(tapir_ioc_snapshot &out) override { return call(TAPIR_IOC_SNAPSHOT, &out); }
    int read(tapir_ioc_read &inout) override { return call(TAPIR_IOC_READ, &inout); }
    int probe(tapir_ioc_probe &inout) override { return call(TAPIR_IOC_PROBE, &inout); }
    int switch_probe(const tapir_ioc_switch &in) override {
        return call(TAPIR_IOC_SWITCH, const_cast<tapir_ioc_switch *>(&in));
    }
    int stream(tapir_ioc_stream &inout) override { return call(TAPIR_IOC_STREAM, &inout); }
    int status(tapir_ioc_status &out) override { return call(TAPIR_IOC_STATUS, &out); }
    int calls(tapir_ioc_calls &out) override { return call(TAPIR_IOC_CALLS, &out); }
    int cut(tapir_ioc_cut &out) override { return call(TAPIR_IOC_CUT, &out); }
    int stacks(tapir_ioc_stacks &out) override { return call(TAPIR_IOC_STACKS, &out); }
    int bulk(tapir_ioc_bulk &inout) override { return call(TAPIR_IOC_BULK, &inout); }
    int profile(tapir_ioc_profile &out) override { return call(TAPIR_IOC_PROFILE, &out); }
    int lock(tapir_ioc_lock &inout) override { return call(TAPIR_IOC_LOCK, &inout); }
    int unwind_want(tapir_ioc_unwind_want &out) override { return call(TAPIR_IOC_UNWIND_WANT, &out); }
    int unwind_put(const tapir_ioc_unwind_put &in) override {
        return call(TAPIR_IOC_UNWIND_PUT, const_cast<tapir_ioc_unwind_put *>(&in));
    }
    int unwind_process(const tapir_ioc_unwind_process &in) override {
        return call(TAPIR_IOC_UNWIND_PROCESS, const_cast<tapir_ioc_unwind_process *>(&in));
    }
    int unwind_file(const tapir_ioc_unwind_file &in) override {
        return call(TAPIR_IOC_UNWIND_FILE, const_cast<tapir_ioc_unwind_file *>(&in));
    }
    int interpreter(tapir_ioc_interpreter &inout) override { return call(TAPIR_IOC_INTERPRETER, &inout); }
    int put_interpreter(const tapir_ioc_put_interpreter &in) override {
        return call(TAPIR_IOC_PUT_INTERPRETER, const_cast<tapir_ioc_put_interpreter *>(&in));
    }
    int unknown_interpreter(tapir_ioc_unknown_interpreter &inout) override { return call(TAPIR_IOC_UNKNOWN, &inout); }
    int unwind_count(tapir_ioc_unwind_count &out) override { return call(TAPIR_IOC_UNWIND_COUNT, &out); }
    int frames(tapir_ioc_frames &inout) override { return call(TAPIR_IOC_FRAMES, &inout); }
    int descriptor() const override { return fd_; }

  private:
    int call(unsigned long request, void *argument) {
        for (;;) {
            if (ioctl(fd_, request, argument) >= 0) return 0;
            if (errno != EINTR) return errno;
        }
    }
    int fd_;
};

}  // namespace

std::string why_not_set(int error) {
    switch (error) {
        case ENOENT:
            return "the script has no such scalar global variable";
        case EINVAL:
            return "Invalid parameters: not a number, or too large";
        case ENAMETOOLONG:
        case E2BIG:
            return "too long";
        case EBUSY:
            return "it is not an option that may change while the script runs (live)";
        case ERANGE:
            return "the option does not take this value";
        default:
            return strerror(error);
    }
}

std::string control_path(const std::string &name) {
    return "/proc/tapir-" + name + "/control";
}

static Fault explain(int error, const std::string &name, bool restricted) {
    const FaultTag tag = error == ENOENT                ? FaultTag::NotLoaded
                         : error == EBUSY               ? FaultTag::SessionBusy
                         : error == EPERM && restricted ? FaultTag::NotOwn
                                                        : FaultTag::ControlFailed;
    return {tag, "Couldn't open '" + control_path(name) + "': " + strerror(error)};
}

Outcome<std::unique_ptr<Control>> open_control(const std::string &name, const Caller &caller) {
    if (name.empty() || name.find('/') != std::string::npos) return explain(ENOENT, name, false);
    // The directory is looked at and then used, so that it is the same one.
    const std::string path = control_path(name);
    const int directory = open(path.substr(0, path.rfind('/')).c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info = {};
    struct statfs filesystem = {};
    int fd = -1, error = 0;
    if (directory < 0 || fstat(directory, &info) != 0 || fstatfs(directory, &filesystem) != 0) {
        error = errno;
    } else if (filesystem.f_type != PROC_SUPER_MAGIC) {
        error = ENOENT;
    } else if (caller.restricted() && info.st_uid != caller.uid) {
        error = EPERM;
    } else {
        const Right right(Need::Control);
        fd = openat(directory, "control", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        error = fd < 0 ? errno : 0;
    }
    if (directory >= 0) close(directory);
    if (fd < 0) return explain(error, name, caller.restricted());
    return std::unique_ptr<Control>(std::make_unique<ControlFile>(fd));
}

}  // namespace tapir::staprun
