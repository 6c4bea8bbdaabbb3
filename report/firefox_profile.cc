// SPDX-License-Identifier: GPL-2.0-or-later
// The processed profile format of the Firefox Profiler, version 46: profiler.firefox.com brings it up to date.
#include <algorithm>
#include <map>
#include <vector>

#include "common/json.h"
#include "common/plain_text.h"
#include "report/origin.h"
#include "report/owners.h"
#include "report/picture.h"
#include "report/trust.h"

namespace tapir::report {

namespace {

// In the order of Owner. The profiler has these colors: the program's own code is the only saturated one.
std::string categories(const std::string &program) {
    static constexpr const char *kColors[kOwners] = {"orange", "lightblue", "purple", "green", "grey"};
    std::string out;
    for (size_t i = 0; i < kOwners; i++)
        out += (i ? ",{\"name\":" : "{\"name\":") + json_string(owner_text(static_cast<Owner>(i), program)) +
               ",\"color\":\"" + kColors[i] + "\",\"subcategories\":[\"Other\"]}";
    return "[" + out + "]";
}

// A column of a table.
class Column {
  public:
    void add(int64_t value) { add_text(std::to_string(value)); }
    void add_text(const std::string &text) {
        out_ += (out_.empty() ? "" : ",") + text;
        length_++;
    }
    size_t length() const { return length_; }
    std::string text() const { return "[" + out_ + "]"; }

  private:
    std::string out_;
    size_t length_ = 0;
};

std::string repeated(const char *value, size_t count) {
    std::string out = "[";
    for (size_t i = 0; i < count; i++)
        out += std::string(i ? "," : "") + value;
    return out + "]";
}

// One thread: tables that refer to each other by number.
class ThreadTables {
  public:
    ThreadTables(const Picture &picture, const std::vector<Owner> &owners, uint32_t thread)
        : picture_(picture), owners_(owners), thread_(thread) {}
    std::string write();

  private:
    int64_t string(const std::string &text) {
        const auto [at, fresh] = strings_.try_emplace(text, strings_.size());
        if (fresh) texts_.add_text(json_string(text));
        return static_cast<int64_t>(at->second);
    }
    int64_t resource(const std::string &object);
    int64_t frame(uint32_t number);
    int64_t stack(const Row &row);
    std::string tables() const;

    const Picture &picture_;
    const std::vector<Owner> &owners_;
    const uint32_t thread_;
    std::map<std::string, size_t> strings_, resources_;
    std::map<uint32_t, int64_t> frames_;
    std::map<std::pair<int64_t, int64_t>, int64_t> stacks_;
    Column texts_, resource_names_, functions_, files_, lines_, function_resources_, categories_;
    Column prefixes_, stack_frames_, stack_categories_;
    Column sample_stacks_, sample_times_, sample_weights_;
};

int64_t ThreadTables::resource(const std::string &object) {
    if (object.empty()) return -1;
    const auto [at, fresh] = resources_.try_emplace(object, resources_.size());
    if (fresh) resource_names_.add(string(object));
    return static_cast<int64_t>(at->second);
}

int64_t ThreadTables::frame(uint32_t number) {
    const auto [at, fresh] = frames_.try_emplace(number, static_cast<int64_t>(frames_.size()));
    if (!fresh) return at->second;
    const FrameText &text = picture_.frames[number];
    functions_.add(string(text.name));
    files_.add_text(text.file.empty() ? "null" : std::to_string(string(text.file)));
    lines_.add_text(text.line ? std::to_string(text.line) : "null");
    function_resources_.add(resource(text.object));
    categories_.add(static_cast<int64_t>(owners_[number]));
    return at->second;
}

int64_t ThreadTables::stack(const Row &row) {
    int64_t prefix = -1;
    for (const uint32_t number : row.frames) {
        const int64_t which = frame(number);
        const auto [at, fresh] = stacks_.try_emplace({prefix, which}, static_cast<int64_t>(stacks_.size()));
        if (fresh) {
            prefixes_.add_text(prefix < 0 ? "null" : std::to_string(prefix));
            stack_frames_.add(which);
            stack_categories_.add(static_cast<int64_t>(owners_[number]));
        }
        prefix = at->second;
    }
    return prefix;
}

std::string ThreadTables::tables() const {
    const size_t frames = functions_.length();
    std::string numbers;
    for (size_t i = 0; i < frames; i++)
        numbers += (i ? "," : "") + std::to_string(i);
    const std::string length = ",\"length\":" + std::to_string(frames) + "}";
    const std::string zeros = repeated("0", frames), nulls = repeated("null", frames);
    std::string out = "\"frameTable\":{\"address\":" + repeated("-1", frames) + ",\"inlineDepth\":" + zeros +
                      ",\"category\":" + categories_.text() + ",\"subcategory\":" + zeros + ",\"func\":[" + numbers +
                      "],\"nativeSymbol\":" + nulls + ",\"innerWindowID\":" + nulls + ",\"implementation\":" + nulls +
                      ",\"line\":" + lines_.text() + ",\"column\":" + nulls + ",\"optimizations\":" + nulls + length;
    out += ",\"funcTable\":{\"name\":" + functions_.text() + ",\"isJS\":" + repeated("false", frames) +
           ",\"relevantForJS\":" + repeated("false", frames) + ",\"resource\":" + function_resources_.text() +
           ",\"fileName\":" + files_.text() + ",\"lineNumber\":" + lines_.text() + ",\"columnNumber\":" + nulls +
           length;
    const size_t resources = resource_names_.length();
    out += ",\"resourceTable\":{\"length\":" + std::to_string(resources) + ",\"lib\":" + repeated("null", resources) +
           ",\"name\":" + resource_names_.text() + ",\"host\":" + repeated("null", resources) +
           ",\"type\":" + repeated("1", resources) + "}";
    out += ",\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]}";
    out += ",\"stackTable\":{\"length\":" + std::to_string(stack_frames_.length()) + ",\"prefix\":" + prefixes_.text() +
           ",\"frame\":" + stack_frames_.text() + ",\"category\":" + stack_categories_.text() +
           ",\"subcategory\":" + repeated("0", stack_frames_.length()) + "}";
    return out;
}

// "bytes" and "tracing-ms" are what it knows beside "samples".
const char *weight_type(const Profile &profile) {
    if (profile.unit == "bytes") return "bytes";
    return profile.unit.ends_with("seconds") ? "tracing-ms" : "samples";
}

double weight_scale(const Profile &profile) {
    if (profile.unit == "nanoseconds") return 1e-6;
    if (profile.unit == "microseconds") return 1e-3;
    return profile.unit == "seconds" ? 1e3 : 1;
}

// The profiler searches for times, so they ascend. The samples of a timed profile that have none come last.
std::vector<const Row *> rows_by_time(const Profile &profile, uint32_t thread) {
    std::vector<const Row *> rows;
    for (const Row &row : profile.rows)
        if (row.thread == thread) rows.push_back(&row);
    // 0 - 1 is more than any time.
    std::stable_sort(rows.begin(), rows.end(), [](const Row *a, const Row *b) { return a->time - 1 < b->time - 1; });
    return rows;
}

std::string ThreadTables::write() {
    const Profile &profile = picture_.profile;
    const Thread &thread = profile.threads[thread_];
    const double scale = weight_scale(profile);
    const std::vector<const Row *> rows = rows_by_time(profile, thread_);
    uint64_t last = 0;
    for (const Row &row : profile.rows)
        last = std::max(last, row.time);
    for (size_t i = 0; i < rows.size(); i++) {
        const Row &row = *rows[i];
        sample_stacks_.add(stack(row));
        // Where no sample has a time, each has its number in place of one.
        sample_times_.add_text(profile.timed ? format("%.6f", static_cast<double>(row.time ? row.time : last) * 1e-6)
                                             : std::to_string(i));
        sample_weights_.add_text(scale == 1 ? std::to_string(row.value)
                                            : format("%.9g", static_cast<double>(row.value) * scale));
    }
    const std::string pid = std::to_string(thread.pid), tid = std::to_string(thread.tid ? thread.tid : thread_ + 1);
    std::string out =
        "{\"name\":" + json_string(thread.text()) + ",\"processName\":" + json_string(thread.comm) +
        ",\"processType\":\"default\",\"isMainThread\":" + (thread_ == 0 ? "true" : "false") + ",\"pid\":\"" + pid +
        "\",\"tid\":" + tid +
        ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,\"unregisterTime\":null,"
        "\"pausedRanges\":[],\"markers\":{\"length\":0,\"category\":[],\"data\":[],\"endTime\":[],\"name\":[],"
        "\"phase\":[],\"startTime\":[]},";
    out += tables();
    out += ",\"samples\":{\"length\":" + std::to_string(sample_stacks_.length()) +
           ",\"stack\":" + sample_stacks_.text() + ",\"time\":" + sample_times_.text() +
           ",\"weight\":" + sample_weights_.text() + ",\"weightType\":\"" + weight_type(profile) + "\"}";
    return out + ",\"stringArray\":" + texts_.text() + "}";
}

std::string extra(const char *label, const std::vector<std::string> &lines) {
    std::string out = std::string("{\"label\":\"") + label + "\",\"entries\":[";
    for (size_t i = 0; i < lines.size(); i++)
        out += format("%s{\"label\":\"%zu\",\"format\":\"string\",\"value\":", i ? "," : "", i + 1) +
               json_string(lines[i]) + "}";
    return out + "]}";
}

}  // namespace

std::string render_firefox(const Picture &picture) {
    const Profile &profile = picture.profile;
    const double interval = profile.meta.hz ? 1e3 / static_cast<double>(profile.meta.hz) : 1;
    const PictureOrigin origin = origin_of(picture);
    const std::vector<Owner> owners = owners_of(picture);
    std::string out = "{\"meta\":{\"categories\":" + categories(origin.program);
    append(out, ",\"interval\":%.6g,\"startTime\":%.3f", interval, static_cast<double>(profile.meta.started) * 1e-6);
    out +=
        ",\"version\":24,\"preprocessedProfileVersion\":46,\"processType\":0,\"stackwalk\":1,\"debug\":false,"
        "\"symbolicated\":true,\"usesOnlyOneStackType\":true,\"doesNotUseFrameImplementation\":true,"
        "\"sourceCodeIsNotOnSearchfox\":true,\"markerSchema\":[],\"pausedRanges\":[],"
        "\"extensions\":{\"length\":0,\"id\":[],\"name\":[],\"baseURL\":[]},"
        "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"\xc2\xb5s\"},\"product\":";
    out += json_string(heading_of(origin) + ", " + trust_of(profile).text);
    out += ",\"extra\":[" + extra("Origin", origin_lines(picture)) + "," + extra("Quality", quality_lines(profile));
    out += "]},\"libs\":[],\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\"threads\":[";
    for (uint32_t thread = 0; thread < profile.threads.size(); thread++)
        out += (thread ? "," : "") + ThreadTables(picture, owners, thread).write();
    return out + "]}\n";
}

}  // namespace tapir::report
