// SPDX-License-Identifier: GPL-2.0-or-later
#include "admission.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <tapir/default_limits.h>
#include <tapir/limit_names.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "common/files.h"
#include "common/plain_text.h"
#include "common/process_id.h"

namespace tapir::staprun {

namespace {

// Largest buffer per CPU for members of stapusr and stapsys.
constexpr uint64_t kMaxUserBuffer = 64u << 20;

std::string resolve(const std::string &path) {
    std::unique_ptr<char, decltype(&free)> resolved(realpath(path.c_str(), nullptr), free);
    return resolved ? resolved.get() : "";
}

// `path` begins with a slash.
std::string directory_of(const std::string &path) {
    return path.substr(0, std::max<size_t>(1, path.rfind('/')));
}

Fault unreadable(const std::string &why) {
    return {FaultTag::ModuleUnreadable, why};
}

// Reads it if it is a regular file of no more than `limit` bytes.
void read_regular(int fd, size_t limit, Source &out) {
    struct stat info = {};
    if (fd < 0 || fstat(fd, &info) != 0) {
        out.readable =
            unreadable(errno == ELOOP ? "it is a symbolic link, which is not followed here" : strerror(errno));
    } else if (!S_ISREG(info.st_mode)) {
        out.readable = unreadable("it is not a regular file");
    } else if (int error = read_descriptor(fd, limit, out.image)) {
        out.readable = unreadable(strerror(error));
    }
    out.owner = info.st_uid;
    out.writable_by_all = (info.st_mode & S_IWOTH) != 0;
    if (fd >= 0) close(fd);
}

Fault needs(const std::string &option, Standing standing) {
    return {FaultTag::OptionRefused, format("%s is for root and members of the group stapdev; you are a member of %s",
                                            option.c_str(), standing == Standing::System ? "stapsys" : "stapusr")};
}

// Bytes that everybody may set a limit to.
std::optional<uint64_t> allowed_bytes(unsigned limit) {
    if (limit == TAPIR_LIMIT_STACK_BYTES) return TAPIR_DEFAULT_STACK_BYTES;
    if (limit == TAPIR_LIMIT_BUFFER_BYTES) return kMaxUserBuffer;
    return std::nullopt;
}

bool included(Standing standing, trust::Audience audience) {
    switch (audience) {
        case trust::Audience::Users:
            return standing >= Standing::User;
        case trust::Audience::System:
            return standing >= Standing::System;
        case trust::Audience::Developers:
            return standing >= Standing::Developer;
    }
    return false;
}

// Modules that root keeps need no trusted signer, but revoked ones are refused there, too.
Outcome<void> check_approved(const trust::Subject &subject, const TrustPlace &place, trust::Store &store) {
    const Outcome<void> loaded = store.load(place.path, place.protection);
    if (!loaded && loaded.fault().tag != FaultTag::StoreMissing && loaded.fault().tag != FaultTag::StoreEmpty)
        return loaded;
    if (!store.revokes_module(trust::sha256(subject.image))) return {};
    return Fault{FaultTag::ModuleRevoked, "it has been revoked on this machine"};
}

}  // namespace

Outcome<void> check_caller(const Caller &caller, const Options &options) {
    if (!caller.restricted()) return {};
    if (caller.standing == Standing::Nobody)
        return Fault{
            FaultTag::NotAMember,
            "only root and members of the group stapusr can run scripts here. Ask the administrator to add you to "
            "stapusr (for modules "
            "that are signed or approved), to stapsys as well (for those that are signed for the whole system), or "
            "to stapusr and "
            "stapdev (for your own); then log in again"};
    if (caller.standing == Standing::Developer) return {};
    if (options.load_only) return needs("-L", caller.standing);
    if (options.daemon) return needs("-D", caller.standing);
    // Without it a session ends after MAXERRORS errors, which is a limit as well.
    if (options.suppress_errors) return needs("--suppress-handler-errors", caller.standing);
    for (unsigned i = 0; i < TAPIR_LIMITS; i++) {
        if (!options.limits[i]) continue;
        const std::optional<uint64_t> allowed = allowed_bytes(i);
        if (allowed && *options.limits[i] <= *allowed) continue;
        if (i == TAPIR_LIMIT_OVERLOAD || i == TAPIR_LIMIT_BUDGET) continue;  // these only take less
        std::string option = options.limited_by[i];
        if (option == "--limit") append(option, " %s", tapir_limit_names[i]);
        if (allowed) append(option, " with more than %llu megabytes", static_cast<unsigned long long>(*allowed >> 20));
        return needs(option, caller.standing);
    }
    return {};
}

Outcome<void> check_target(const Caller &caller, const Options &options) {
    if (options.target == 0) return {};
    if (const std::string why = why_no_process(options.target); !why.empty())
        return Fault{FaultTag::TargetRefused, "-x: " + why};
    if (!caller.restricted() || caller.standing == Standing::Developer) return {};
    struct stat info = {};
    const std::string path = format("/proc/%lld", static_cast<long long>(options.target));
    if (stat(path.c_str(), &info) == 0 && info.st_uid == caller.uid) return {};
    return Fault{FaultTag::TargetRefused,
                 format("-x: process %lld is not one of yours; members of stapusr and stapsys can only name their own",
                        static_cast<long long>(options.target))};
}

std::vector<std::string> approved_directories(const std::string &release) {
    return {"/lib/modules/" + release + "/tapir", "/lib/modules/" + release + "/systemtap"};
}

Source read_source(const std::string &path, size_t limit, const std::vector<std::string> &approved,
                   const trust::Protection &protection) {
    Source out;
    out.path = path;
    const std::string resolved = resolve(path);
    for (const std::string &directory : approved) {
        const std::string place = resolve(directory);  // "" if the directory is missing
        if (resolved.empty() || place.empty() || directory_of(resolved) != place) continue;
        const Outcome<int> fd = trust::open_protected(resolved, trust::Kind::File, protection);
        if (!fd) {
            out.approval = fd.fault();
            continue;
        }
        out.approved = true;
        read_regular(*fd, limit, out);
        return out;
    }
    // O_NONBLOCK: a FIFO without a writer would keep us here.
    read_regular(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), limit, out);
    return out;
}

Admission admit(const Caller &caller, const Source &source, const ModuleFile &file, const trust::Subject &subject,
                const TrustPlace &place, int64_t now) {
    Admission out;
    const auto refuse = [&out](const Fault &fault) {
        out.outcome = fault;
        return out;
    };
    if (caller.standing == Standing::Nobody)
        return refuse({FaultTag::NotAMember, "you are not a member of the group stapusr"});
    // A file that others can change does not count as the caller's own.
    const bool own = (source.owner == caller.uid || source.owner == 0) && !source.writable_by_all;
    if (caller.standing == Standing::Developer && own) {
        out.tag = "developer";
        return out;
    }
    trust::Store store;
    if (source.approved) {
        out.outcome = check_approved(subject, place, store);
        out.tag = "approved";
        return out;
    }
    Source signature = read_source(source.path + ".sig", trust::kMaxSignature, {}, {});
    if (!signature.readable && caller.standing == Standing::Developer)
        return refuse({FaultTag::NotOwn, "it belongs to another user, or others can write it",
                       "members of stapdev run their own modules, and those that are signed or approved"});
    if (!signature.readable) {
        std::string text = format(
            "members of %s run modules that a signer trusted on this machine has signed, or that the administrator "
            "keeps in "
            "/lib/modules/%s/tapir; this one has no signature ('%s': %s)",
            name_of(caller.standing), subject.release.c_str(), signature.path.c_str(),
            signature.readable.fault().text.c_str());
        if (!source.approval) text += ", and is not approved: " + source.approval.fault().text;
        return refuse({FaultTag::NotSigned, text});
    }
    out.verdict.outcome = store.load(place.path, place.protection);
    if (out.verdict.outcome) out.verdict = trust::verify(signature.image, subject, store, now);
    if (!out.verdict.outcome) return refuse(out.verdict.outcome.fault());
    if (!included(caller.standing, out.verdict.manifest.audience)) {
        const char *group = trust::group_of(out.verdict.manifest.audience);
        return refuse({FaultTag::AudienceMissed, format("it was signed for members of %s, and you are not one", group),
                       format("ask the administrator to add you to %s, or have it signed for %s", group,
                              name_of(caller.standing))});
    }
    // The name decides which files below /proc are the session's.
    if (file.name() != out.verdict.manifest.name)
        return refuse({FaultTag::NameMismatch, "its name is not the one that was signed"});
    out.tag = "signed";
    return out;
}

}  // namespace tapir::staprun
