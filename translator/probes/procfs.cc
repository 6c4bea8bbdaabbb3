// SPDX-License-Identifier: GPL-2.0-or-later
// procfs("path").read and .write: files below /proc/systemtap/MODULE whose content is a handler's $value.
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "target/function_scope.h"

namespace tapir::probes {

namespace {

// The allowed forms; the path, and whether the file writes, follow from the names.
constexpr Form kProcfsForms[] = {
    {"procfs.read"},
    {"procfs.write"},
    {"procfs.read.maxsize(number)"},
    {"procfs.write.maxsize(number)"},
    {"procfs.umask(number).read"},
    {"procfs.umask(number).write"},
    {"procfs.umask(number).read.maxsize(number)"},
    {"procfs.umask(number).write.maxsize(number)"},
    {"procfs(string).read"},
    {"procfs(string).write"},
    {"procfs(string).read.maxsize(number)"},
    {"procfs(string).write.maxsize(number)"},
    {"procfs(string).umask(number).read"},
    {"procfs(string).umask(number).write"},
    {"procfs(string).umask(number).read.maxsize(number)"},
    {"procfs(string).umask(number).write.maxsize(number)"},
};

constexpr int64_t kMaxSize = 1 << 24;
constexpr size_t kMaxName = 255;  // bytes of one name between slashes, as the kernel has it

// Names between single slashes, none of them "." or "..".
bool is_path(const std::string &path) {
    for (size_t at = 0; at <= path.size();) {
        const size_t end = std::min(path.find('/', at), path.size());
        const std::string name = path.substr(at, end - at);
        if (name.empty() || name == "." || name == ".." || name.size() > kMaxName) return false;
        at = end + 1;
    }
    return path.find('\0') == std::string::npos;
}

void resolve_procfs(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    static const auto to_reader = std::make_shared<target::FunctionScope>(
        std::vector<target::FunctionVariable>{{"value", "", "__procfs_set_value", "__procfs_append_value", false}});
    static const auto from_writer = std::make_shared<target::FunctionScope>(
        std::vector<target::FunctionVariable>{{"value", "__procfs_value", "", "", false}});
    Attach attach;
    attach.kind = Kind::Procfs;
    ProcfsFile &file = attach.arg.emplace<ProcfsFile>();
    attach.point = point.str();
    attach.scope = to_reader;
    file.path = "command";
    for (const ast::PointComponent &component : point.components) {
        int64_t value = 0;
        if (component.name == "procfs" && component.arg) {
            file.path = string_argument(component);
            if (!is_path(file.path)) {
                context.diagnostics.report(
                    Tag::ProcfsPath, component.arg->at,
                    "a path is names with slashes between them, and leads from /proc/systemtap/MODULE downwards");
                return;
            }
        } else if (component.name == "write") {
            file.write = true;
            attach.scope = from_writer;
        } else if (component.name == "umask") {
            if (!argument_between(component, 0, 0777, context.diagnostics, value)) return;
            file.umask = static_cast<uint32_t>(value);
        } else if (component.name == "maxsize") {
            if (!argument_between(component, 1, kMaxSize, context.diagnostics, value)) return;
            file.max_size = static_cast<uint32_t>(value);
        }
    }
    out.push_back(std::move(attach));
}

void write_procfs(const Attach &attach, Arg &out) {
    const auto &file = attach.as<ProcfsFile>();
    out.type("tapir_procfs_arg");
    out.text("path", file.path);
    out.number("write", int{file.write});
    out.number("has_umask", int{file.umask.has_value()});
    out.number("umask", file.umask.value_or(0));
    out.number("max_size", file.max_size);
}

}  // namespace

const KindOps kProcfs = {.forms = kProcfsForms, .resolve = resolve_procfs, .write_arg = write_procfs};

}  // namespace tapir::probes
