// SPDX-License-Identifier: GPL-2.0-or-later
// The file format of speedscope: https://www.speedscope.app/file-format-schema.json
#include "common/json.h"
#include "report/origin.h"
#include "report/owners.h"
#include "report/picture.h"
#include "report/trust.h"

namespace tapir::report {

namespace {

// Each thread by itself, if there are not too many to choose from.
constexpr size_t kMostThreads = 200;

std::string unit_of(const Profile &profile) {
    for (const char *known : {"nanoseconds", "microseconds", "milliseconds", "seconds", "bytes"})
        if (profile.unit == known) return known;
    return "none";
}

void add_profile(std::string &out, const Profile &profile, const std::string &name, const uint32_t *thread) {
    std::string samples, weights;
    int64_t total = 0;
    for (const Row &row : profile.rows) {
        if (thread && row.thread != *thread) continue;
        samples += samples.empty() ? "[" : ",[";
        for (size_t i = 0; i < row.frames.size(); i++)
            samples += (i ? "," : "") + std::to_string(row.frames[i]);
        samples += "]";
        weights += (weights.empty() ? "" : ",") + std::to_string(row.value);
        total += row.value;
    }
    out += "{\"type\":\"sampled\",\"name\":" + json_string(name) + ",\"unit\":\"" + unit_of(profile) +
           "\",\"startValue\":0,\"endValue\":" + std::to_string(total) + ",\"samples\":[" + samples +
           "],\"weights\":[" + weights + "]}";
}

}  // namespace

std::string render_speedscope(const Picture &picture) {
    const Profile &profile = picture.profile;
    std::string out =
        "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"stap-report\",";
    const std::vector<std::string> origin = origin_lines(picture);
    const std::vector<Owner> owners = owners_of(picture);
    out += "\"name\":" + json_string(origin[0] + " (" + trust_of(profile).text + ")");
    out += ",\"activeProfileIndex\":0,\"tapir\":{\"origin\":[";
    for (size_t i = 0; i < origin.size(); i++)
        out += (i ? "," : "") + json_string(origin[i]);
    // The owner of each frame, for which speedscope itself has no place.
    out += "],\"owners\":[";
    for (size_t i = 0; i < owners.size(); i++)
        out += std::string(i ? ",\"" : "\"") + owner_word(owners[i]) + "\"";
    out += "],\"quality\":[";
    bool first = true;
    for (const std::string &line : quality_lines(profile)) {
        out += (first ? "" : ",") + json_string(line);
        first = false;
    }
    out += "]},\"shared\":{\"frames\":[";
    for (uint32_t i = 0; i < picture.frames.size(); i++) {
        const FrameText &frame = picture.frames[i];
        out += (i ? ",{\"name\":" : "{\"name\":") + json_string(frame.name);
        const std::string &file = frame.file.empty() ? frame.object : frame.file;
        if (!file.empty()) out += ",\"file\":" + json_string(file);
        if (!frame.file.empty() && frame.line) out += ",\"line\":" + std::to_string(frame.line);
        out += "}";
    }
    out += "]},\"profiles\":[";
    add_profile(out, profile, profile.title, nullptr);
    if (profile.threads.size() > 1 && profile.threads.size() <= kMostThreads)
        for (uint32_t thread = 0; thread < profile.threads.size(); thread++) {
            out += ",";
            add_profile(out, profile, profile.title + ": " + profile.threads[thread].text(), &thread);
        }
    return out + "]}\n";
}

}  // namespace tapir::report
