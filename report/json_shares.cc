// SPDX-License-Identifier: GPL-2.0-or-later
// Shares for programs: docs/report.schema.json.
#include "common/json.h"
#include "common/plain_text.h"
#include "report/picture.h"
#include "report/shares.h"
#include "report/trust.h"

namespace tapir::report {

namespace {

void add_share(std::string &out, const char *name, const Share &share) {
    append(out, ",\"%s\":{\"value\":%lld,\"share\":%.9g,\"low\":%.9g,\"high\":%.9g}", name,
           static_cast<long long>(share.value), share.share, share.low, share.high);
}

const char *origin_word(Origin origin) {
    switch (origin) {
        case Origin::Program:
            return "program";
        case Origin::Kernel:
            return "kernel";
        case Origin::Script:
            return "script";
        case Origin::Mark:
            break;
    }
    return "mark";
}

void add_function(std::string &out, const FrameText &frame) {
    out += "{\"name\":" + json_string(frame.name) + ",\"origin\":\"" + origin_word(frame.origin) + "\"";
    if (!frame.object.empty()) out += ",\"object\":" + json_string(frame.object);
    if (!frame.file.empty()) out += ",\"file\":" + json_string(frame.file);
    if (!frame.file.empty() && frame.line) append(out, ",\"line\":%u", frame.line);
    if (!frame.resolved) out += ",\"named\":false";
}

}  // namespace

std::string render_shares(const Picture &picture) {
    const Profile &profile = picture.profile;
    const Shares shares = shares_of(profile, picture.frames);
    std::string out = "{\"v\":1,\"type\":\"shares\",\"title\":" + json_string(profile.title) +
                      ",\"unit\":" + json_string(profile.unit);
    append(out,
           ",\"value\":%lld,\"samples\":%llu,\n\"intervals\":{\"level\":0.95,\"effective\":%.9g,\"widened\":%s},\n",
           static_cast<long long>(profile.total), static_cast<unsigned long long>(profile.count), shares.effective,
           shares.widened ? "true" : "false");
    std::string quality = check_json(picture);
    quality.pop_back();
    out += "\"quality\":" + quality + ",\n\"functions\":[";
    const char *comma = "\n";
    for (const SelfAndTotal &function : shares.functions) {
        out += comma;
        add_function(out, picture.frames[function.frame]);
        add_share(out, "self", function.self);
        add_share(out, "total", function.total);
        out += "}";
        comma = ",\n";
    }
    const auto add_list = [&](const char *list, const char *name, const std::vector<SelfAndTotal> &parts, bool self) {
        append(out, "],\n\"%s\":[", list);
        comma = "\n";
        for (const SelfAndTotal &part : parts) {
            append(out, "%s{\"%s\":", comma, name);
            out += json_string(part.name);
            if (self) add_share(out, "self", part.self);
            add_share(out, "total", part.total);
            out += "}";
            comma = ",\n";
        }
    };
    add_list("objects", "object", shares.objects, true);
    add_list("labels", "label", shares.labels, false);
    if (!profile.match.empty()) add_list("matches", "pattern", shares.matches, true);
    return out + "]}\n";
}

}  // namespace tapir::report
