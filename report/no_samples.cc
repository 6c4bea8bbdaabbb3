// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/no_samples.h"

#include <cctype>

#include "common/command_text.h"
#include "report/units.h"

namespace tapir::report {

namespace {

std::string within(const Profile &profile) {
    return profile.meta.duration ? " in " + time_text(static_cast<double>(profile.meta.duration)) : "";
}

// A program that does not run waits: another script tells for what.
std::string command_for_waits(const capture::Meta &meta) {
    std::string target;
    if (meta.pid)
        target = " -x " + std::to_string(meta.pid);
    else if (!meta.target.empty())
        target = " -c " + shell_word(clean(meta.target));
    return "stap -o waits.html" + target + " offcpu.stp";
}

}  // namespace

NoSamples no_samples(const Profile &profile) {
    if (!profile.rows.empty()) return {};
    const Quality &quality = profile.quality;
    const capture::Meta &meta = profile.meta;
    if (!quality.damage.empty()) return {"No samples: the capture is not sealed, " + quality.damage, ""};
    if (quality.taken)
        return {"Nothing to show: the sums of all stacks are zero or less (" +
                    counted(quality.taken, "sample", "samples") + ")",
                ""};
    if (quality.lost > 0 && !quality.causes.empty()) {
        const Cause &cause = quality.causes.front();
        std::string hint = cause.hint.empty() ? "" : ". " + cause.hint;
        if (hint.size() > 2) hint[2] = static_cast<char>(std::toupper(static_cast<unsigned char>(hint[2])));
        return {"No samples: all were lost (" + cause.text + ")" + hint, ""};
    }
    if (profile.from)
        return {"No samples after the first " + time_text(static_cast<double>(profile.from)) +
                    " of the session, which --from leaves out",
                ""};
    // A script that takes none has given no title or unit.
    if (!profile.samples) return {"No samples: the script takes none. Scripts take them with @sample", ""};
    if (meta.clock == "soft" || meta.clock == "pmu") {
        const bool target = meta.pid || !meta.target.empty();
        return {std::string("No samples: ") + (target ? "the program" : "no program") + " used " +
                    (target ? "no" : "any") + " processor time" + within(profile) + ". For waits:",
                command_for_waits(meta)};
    }
    if (!profile.hits) return {"No samples: no probe of the script was hit" + within(profile), ""};
    return {"No samples: the script's probes were hit " + counted(profile.hits, "time", "times") + within(profile) +
                ", and took none",
            ""};
}

std::string no_samples_text(const Profile &profile) {
    const NoSamples why = no_samples(profile);
    return why.command.empty() ? why.cause : why.cause + " " + why.command;
}

}  // namespace tapir::report
