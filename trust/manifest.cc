// SPDX-License-Identifier: GPL-2.0-or-later
#include "manifest.h"

#include <cstdio>
#include <cstring>
#include <ctime>

namespace tapir::trust {

namespace {

constexpr std::string_view kHead = "tapir-module-signature ";
constexpr std::string_view kVersion = "1";
constexpr size_t kMaxValue = 512;
constexpr size_t kDigestDigits = 64, kIdDigits = 32;

bool is_printable(std::string_view text) {
    for (char c : text)
        if (c < ' ' || c > '~') return false;
    return text.size() <= kMaxValue;
}

bool is_hex(std::string_view text, size_t digits) {
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool parse_number(std::string_view text, unsigned &out) {
    if (text.empty() || text.size() > 9 || (text[0] == '0' && text.size() > 1)) return false;
    out = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return false;
        out = out * 10 + static_cast<unsigned>(c - '0');
    }
    return true;
}

// Only what print_time() writes, which the comparison at the end makes sure of.
bool parse_time(std::string_view text, int64_t &out) {
    constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
    if (text.size() != kForm.size()) return false;
    for (size_t i = 0; i < text.size(); i++) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return false;
    }
    const auto number = [&](size_t at, size_t digits) {
        int value = 0;
        for (size_t i = at; i < at + digits; i++)
            value = value * 10 + (text[i] - '0');
        return value;
    };
    tm fields = {};
    fields.tm_year = number(0, 4) - 1900;
    fields.tm_mon = number(5, 2) - 1;
    fields.tm_mday = number(8, 2);
    fields.tm_hour = number(11, 2);
    fields.tm_min = number(14, 2);
    fields.tm_sec = number(17, 2);
    out = timegm(&fields);
    return print_time(out) == text;
}

// Takes the lines of a manifest one by one.
class Lines {
  public:
    explicit Lines(std::string_view text) : rest_(text) {}

    // The value of the next line, which has to have that key.
    std::string_view take(std::string_view key) {
        const size_t end = rest_.find('\n');
        const std::string_view line = rest_.substr(0, end);
        const bool named = line.substr(0, key.size()) == key && line.substr(key.size(), 2) == ": ";
        if (end == std::string_view::npos || !named || !is_printable(line.substr(key.size() + 2))) {
            if (missing_.empty()) missing_ = key;
            return {};
        }
        rest_.remove_prefix(end + 1);
        return line.substr(key.size() + 2);
    }
    void wrong(std::string_view key) {
        if (missing_.empty()) missing_ = key;
    }
    const std::string &missing() const { return missing_; }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
    std::string missing_;
};

}  // namespace

const char *group_of(Audience audience) {
    switch (audience) {
        case Audience::Users:
            return "stapusr";
        case Audience::System:
            return "stapsys";
        case Audience::Developers:
            return "stapdev";
    }
    return "";
}

bool parse_audience(std::string_view group, Audience &out) {
    for (Audience audience : {Audience::Users, Audience::System, Audience::Developers}) {
        if (group != group_of(audience)) continue;
        out = audience;
        return true;
    }
    return false;
}

std::string printable(std::string_view text) {
    std::string out(text.substr(0, kMaxValue));
    for (char &c : out)
        if (c < ' ' || c > '~') c = '?';
    return out;
}

std::string print_time(int64_t seconds) {
    tm fields = {};
    const time_t time = seconds;
    char text[64] = "";
    if (gmtime_r(&time, &fields)) strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
    return text;
}

std::string print(const Manifest &manifest) {
    std::string out = std::string(kHead) + std::string(kVersion) + "\n";
    const auto line = [&out](const char *key, const std::string &value) {
        out += std::string(key) + ": " + printable(value) + "\n";
    };
    line("sha256", manifest.sha256);
    line("name", manifest.name);
    line("release", manifest.release);
    line("build", manifest.build);
    line("architecture", manifest.architecture);
    line("abi", std::to_string(manifest.abi));
    line("audience", group_of(manifest.audience));
    line("uses", manifest.uses);
    line("requester", manifest.requester);
    line("not-before", print_time(manifest.not_before));
    line("not-after", print_time(manifest.not_after));
    line("id", manifest.id);
    return out;
}

Outcome<Manifest> parse(std::string_view text) {
    const auto damaged = [](const std::string &why) { return Fault{FaultTag::ManifestDamaged, why}; };
    Manifest out;
    if (text.size() > kMaxManifest) return damaged("what was signed is too large for a manifest");
    const size_t end = text.find('\n');
    if (text.substr(0, kHead.size()) != kHead || end == std::string_view::npos)
        return damaged("what was signed is not a manifest of a module");
    const std::string_view version = text.substr(kHead.size(), end - kHead.size());
    if (version != kVersion)
        return Fault{FaultTag::VersionUnknown, "its manifest has version '" + printable(version.substr(0, 20)) +
                                                   "', this program knows version " + std::string(kVersion)};
    Lines lines(text.substr(end + 1));
    const auto checked = [&lines](const char *key, bool (*good)(std::string_view)) {
        const std::string_view value = lines.take(key);
        if (!good(value)) lines.wrong(key);
        return std::string(value);
    };
    const auto any = [](std::string_view) { return true; };
    const auto some = [](std::string_view value) { return !value.empty(); };
    out.sha256 = checked("sha256", [](std::string_view value) { return is_hex(value, kDigestDigits); });
    out.name = checked("name", some);
    out.release = checked("release", some);
    out.build = checked("build", any);
    out.architecture = checked("architecture", some);
    if (!parse_number(lines.take("abi"), out.abi)) lines.wrong("abi");
    if (!parse_audience(lines.take("audience"), out.audience)) lines.wrong("audience");
    out.uses = checked("uses", any);
    out.requester = checked("requester", any);
    if (!parse_time(lines.take("not-before"), out.not_before)) lines.wrong("not-before");
    if (!parse_time(lines.take("not-after"), out.not_after)) lines.wrong("not-after");
    out.id = checked("id", [](std::string_view value) { return is_hex(value, kIdDigits); });
    if (!lines.missing().empty()) return damaged("its manifest has no proper line '" + lines.missing() + "'");
    if (!lines.at_end()) return damaged("its manifest has more lines than it should have");
    return out;
}

}  // namespace tapir::trust
