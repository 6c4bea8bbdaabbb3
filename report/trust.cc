// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/trust.h"

#include "common/json.h"
#include "common/plain_text.h"
#include "report/origin.h"
#include "report/units.h"

namespace tapir::report {

namespace {

// A smaller loss does not mislead; the picture shows it all the same.
constexpr double kGood = 99;
constexpr size_t kNamelessTold = 3;

std::string completeness(const Quality &quality) {
    if (!quality.damage.empty()) return "capture not sealed";
    if (quality.taken == 0 && quality.lost == 0) return "no samples";
    if (quality.complete >= 100) return "all stacks complete";
    if (quality.complete >= kGood) return share_text(quality.complete) + " complete";
    if (quality.cut <= 0) return share_text(quality.lost) + " of samples lost";
    if (quality.lost <= 0) return share_text(quality.cut) + " of stacks cut";
    return share_text(quality.cut) + " cut, " + share_text(quality.lost) + " lost";
}

// Names the samples below zero: no box can show them, so readers would miss them.
std::string verdict(const Profile &profile) {
    const Quality &quality = profile.quality;
    if (!quality.negative) return completeness(quality);
    return completeness(quality) + ", " + counted(quality.negative, "sample", "samples") + " not shown (" +
           units_of(profile).text(quality.negative_sum) + ")";
}

TrustLine nameless_line_of(const Nameless &nameless) {
    TrustLine out;
    out.aside = true;
    out.text = share_text(nameless.percent) + " of the boxes' width has no name, " + nameless.text;
    if (!nameless.object.empty() && nameless.object[0] == '/')
        out.remedy = "stap-prep " + nameless.object;
    else if (nameless.text == "in the kernel")
        out.remedy = "run it as root: /proc/kallsyms has the names";
    else
        out.remedy = "let the interpreter write /tmp/perf-PID.map";
    return out;
}

}  // namespace

const char *trust_word(TrustState state) {
    return state == TrustState::Good ? "good" : state == TrustState::Part ? "part" : "bad";
}

std::string check_json(const Picture &picture) {
    const Quality &quality = picture.profile.quality;
    const PictureOrigin origin = origin_of(picture);
    const Trust trust = trust_of(picture.profile);
    std::string out = "{\"program\":" + json_string(origin.program) + ",\"kind\":" + json_string(origin.kind);
    append(out,
           ",\"samples\":%llu,\"wanted\":%llu,\"value\":%lld,\"unit\":", static_cast<unsigned long long>(quality.taken),
           static_cast<unsigned long long>(quality.wanted), static_cast<long long>(picture.profile.total));
    out += json_string(picture.profile.unit);
    append(out, ",\"complete\":%.9g,\"cut\":%.9g,\"lost\":%.9g,\"unnamed\":%.9g", quality.complete, quality.cut,
           quality.lost, quality.unnamed);
    out += std::string(",\"sealed\":") + (quality.damage.empty() ? "true" : "false");
    out += std::string(",\"verdict\":\"") + trust_word(trust.state) + "\",\"text\":" + json_string(trust.text);
    out += ",\"causes\":[";
    for (size_t i = 0; i < quality.causes.size(); i++) {
        const Cause &cause = quality.causes[i];
        append(out, "%s{\"percent\":%.9g,\"text\":", i ? "," : "", cause.percent);
        out += json_string(cause.text) + ",\"help\":" + json_string(cause.hint) + "}";
    }
    out += "],\"nameless\":[";
    for (size_t i = 0; i < quality.nameless.size(); i++) {
        const Nameless &nameless = quality.nameless[i];
        append(out, "%s{\"percent\":%.9g,\"file\":", i ? "," : "", nameless.percent);
        out += json_string(nameless.object) + "}";
    }
    return out + "]}\n";
}

Trust trust_of(const Profile &profile) {
    const Quality &quality = profile.quality;
    Trust out;
    out.text = verdict(profile);
    if (!quality.damage.empty() || quality.complete < profile.min_quality)
        out.state = TrustState::Bad;
    else if (quality.complete < kGood)
        out.state = TrustState::Part;
    if (!quality.damage.empty())
        out.lines.push_back(
            {"the capture is not sealed: " + quality.damage, "let the session end by itself or by SIGINT"});
    for (const Cause &cause : quality.causes)
        out.lines.push_back({share_text(cause.percent) + ": " + cause.text, cause.hint});
    out.causes = out.lines.size();
    double others = 0;
    for (size_t i = 0; i < quality.nameless.size(); i++) {
        if (i < kNamelessTold)
            out.lines.push_back(nameless_line_of(quality.nameless[i]));
        else
            others += quality.nameless[i].percent;
    }
    if (others > 0)
        out.lines.push_back({share_text(others) + " of the boxes' width has no name, in " +
                                 counted(quality.nameless.size() - kNamelessTold, "more file", "more files"),
                             "", true});
    // Adds the number of samples, the clock, and the session's messages.
    for (const std::string &line : quality_lines(profile)) {
        const bool told = line.starts_with("quality:") || line.starts_with("missing:") ||
                          line.starts_with("without a name:") || line.starts_with("capture:");
        if (!told) out.lines.push_back({line, "", line.starts_with("samples:") || line.starts_with("clock:")});
    }
    return out;
}

}  // namespace tapir::report
