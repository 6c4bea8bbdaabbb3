// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/build_request.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "base/limits.h"
#include "module/module_name.h"
#include "tapir/default_limits.h"

namespace tapir::server {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxWords = 256;
// Bounds for requests without -g. A handler with more statements than this has practically no limit. Larger arrays take
// more than some milliseconds to sort or delete. Less stack may not suffice.
constexpr int64_t kMostActions = 100000;
constexpr int64_t kMostTime = TAPIR_DEFAULT_MAXTIME;
constexpr int64_t kLeastStack = TAPIR_DEFAULT_MINSTACKSPACE;

// The only options that are taken. Those with a value take it in the same word or in the next one.
constexpr std::string_view kFlags[] = {"-u",
                                       "-w",
                                       "-W",
                                       "-v",
                                       "--all-modules",
                                       "--check-version",
                                       "--ldd",
                                       "--metrics",
                                       "--monitor",
                                       "--no-global-var-display",
                                       "--refresh",
                                       "--semantic-keep-going",
                                       "--skip-badvars",
                                       "--suppress-handler-errors",
                                       "--suppress-time-limits"};
constexpr std::string_view kValued[] = {
    "-D", "-G", "-E", "-d", "-m", "-p", "--compatible=", "--option=", "--prologue-searching="};

Fault bad_request(std::string text) {
    return {FaultTag::BadRequest, std::move(text)};
}

Outcome<void> take_text(const Json &value, const std::string &field, std::string &out) {
    if (!value.is_string()) return bad_request("'" + field + "' has to be a string");
    out = value.get<std::string>();
    if (out.find('\0') != std::string::npos) return bad_request("'" + field + "' has a NUL character");
    return {};
}

Outcome<void> take_texts(const Json &value, const std::string &field, std::vector<std::string> &out) {
    if (!value.is_array() || value.size() > kMaxWords)
        return bad_request("'" + field + "' has to be a list of at most " + std::to_string(kMaxWords) + " strings");
    for (const Json &element : value) {
        out.emplace_back();
        if (Outcome<void> taken = take_text(element, field, out.back()); !taken) return taken;
    }
    return {};
}

Outcome<void> take_kernel(const Json &value, BuildRequest &out) {
    if (!value.is_object()) return bad_request("'kernel' has to be an object");
    for (const auto &[name, field] : value.items()) {
        std::string *text = name == "release"    ? &out.release
                            : name == "build_id" ? &out.build_id
                            : name == "vermagic" ? &out.vermagic
                                                 : nullptr;
        if (!text) return bad_request("'kernel' has no field '" + name + "'; there are release, build_id, vermagic");
        if (Outcome<void> taken = take_text(field, "kernel." + name, *text); !taken) return taken;
    }
    return {};
}

Outcome<void> take_tapsets(const Json &value, BuildRequest &out) {
    if (!value.is_object() || value.size() > kMaxWords)
        return bad_request("'tapsets' has to be an object of at most " + std::to_string(kMaxWords) +
                           " files, NAME: TEXT");
    for (const auto &[name, text] : value.items()) {
        if (!is_plain_name(name) || !(name.ends_with(".stp") || name.ends_with(".stpm")))
            return bad_request("a tapset's name has to be plain and end in .stp or .stpm");
        out.tapsets.push_back({name, ""});
        if (Outcome<void> taken = take_text(text, "tapsets", out.tapsets.back().text); !taken) return taken;
    }
    return {};
}

Outcome<void> take_option(std::string_view option, const std::string &value, BuildRequest &out) {
    if (option == "-p") {
        if (value.size() != 1 || value[0] < '1' || value[0] > '4')
            return bad_request("-p takes a pass from 1 to 4: modules are run where they are wanted, not by the server");
        out.last_pass = value[0] - '0';
    } else if (option == "-m") {
        if (!is_module_name(value)) return bad_request("-m takes " + std::string(kModuleNameRule));
        out.module_name = value;
    } else {
        // In one word, so that no value can be taken for an option.
        out.options.push_back(std::string(option) + value);
    }
    return {};
}

// Returns why an option can harm the machine that the module runs on, as a part of a sentence; "" if it cannot.
std::string why_guru(const std::string &option) {
    if (option == "--suppress-time-limits") return ": handlers could run for ever";
    if (!option.starts_with("-D")) return {};
    const size_t equals = std::min(option.find('='), option.size());
    const std::string name = option.substr(2, equals - 2);
    if (!find_limit(name)) return ": it is not a limit, but a macro for embedded C";
    // As the translator reads it.
    const int64_t value = equals < option.size() ? std::strtoll(option.c_str() + equals + 1, nullptr, 0) : 1;
    if (name == "HIST_ELISION") return {};
    if (value < 0) return ": it is a number below 0";
    if (name == "MAXACTION" && value > kMostActions)
        return ": at most " + std::to_string(kMostActions) + " statements are taken without";
    if (name == "MAXACTION_INTERRUPTIBLE" && value > 10 * kMostActions)
        return ": at most " + std::to_string(10 * kMostActions) + " statements are taken without";
    if (name == "MAXTIME" && value > kMostTime)
        return ": at most " + std::to_string(kMostTime) + " microseconds are taken without";
    if (name == "MAXMAPENTRIES" && value > kMostElements)
        return ": at most " + std::to_string(kMostElements) + " elements of an array are taken without";
    if (name == "MINSTACKSPACE" && value < kLeastStack)
        return ": at least " + std::to_string(kLeastStack) + " bytes are taken without";
    return {};
}

Outcome<void> take_options(const std::vector<std::string> &words, BuildRequest &out) {
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string &word = words[i];
        if (word == "-g") {
            out.guru = true;
            continue;
        }
        if (std::find(std::begin(kFlags), std::end(kFlags), word) != std::end(kFlags)) {
            out.options.push_back(word);
            continue;
        }
        const auto valued = std::find_if(std::begin(kValued), std::end(kValued),
                                         [&word](std::string_view name) { return word.starts_with(name); });
        if (valued == std::end(kValued))
            return Fault{FaultTag::RequestOptionRefused, "the option '" + word + "' is not taken here"};
        std::string value = word.substr(valued->size());
        if (value.empty() && !valued->ends_with('=') && i + 1 < words.size()) value = words[++i];
        if (value.empty()) return bad_request("the option " + std::string(*valued) + " needs a value");
        if (Outcome<void> taken = take_option(*valued, value, out); !taken) return taken;
    }
    return {};
}

Outcome<void> take_field(const std::string &name, const Json &value, BuildRequest &out) {
    if (name == "script") return take_text(value, name, out.script);
    if (name == "name") return take_text(value, name, out.name);
    if (name == "arguments") return take_texts(value, name, out.arguments);
    if (name == "kernel") return take_kernel(value, out);
    if (name == "arch") return take_text(value, name, out.architecture);
    if (name == "tapsets") return take_tapsets(value, out);
    if (name == "tapset_sets") return take_texts(value, name, out.tapset_sets);
    if (name == "options") {
        std::vector<std::string> words;
        if (Outcome<void> taken = take_texts(value, name, words); !taken) return taken;
        return take_options(words, out);
    }
    return bad_request("there is no field '" + name +
                       "'; there are script, name, arguments, options, tapsets, tapset_sets, kernel, arch");
}

}  // namespace

Outcome<BuildRequest> parse_request(std::string_view body) {
    const Json json = Json::parse(body, nullptr, false);
    if (json.is_discarded()) return bad_request("the body is not JSON in UTF-8");
    if (!json.is_object()) return bad_request("the body has to be a JSON object");
    BuildRequest out;
    for (const auto &[name, value] : json.items())
        if (const Outcome<void> taken = take_field(name, value, out); !taken) return taken.fault();
    if (out.script.empty()) return bad_request("there is no 'script'");
    if (out.release.empty()) return bad_request("there is no 'kernel.release' ('uname -r' of the machine to run on)");
    if (!is_plain_name(out.release)) return bad_request("'kernel.release' is not a kernel release");
    if (!is_plain_name(out.name)) return bad_request("'name' has to be a plain file name");
    for (const std::string &set : out.tapset_sets)
        if (!is_plain_name(set)) return bad_request("'tapset_sets' has a name that is not plain");
    if (!out.guru)
        for (const std::string &option : out.options)
            if (const std::string why = why_guru(option); !why.empty()) return bad_request(option + " needs -g" + why);
    return out;
}

std::string canonical(const BuildRequest &request) {
    // Objects are ordered by name, so the text does not depend on the order of the client's fields.
    Json tapsets = Json::object();
    for (const TextFile &file : request.tapsets)
        tapsets[file.name] = file.text;
    return Json{{"script", request.script},
                {"name", request.name},
                {"arguments", request.arguments},
                {"options", request.options},
                {"tapsets", tapsets},
                {"sets", request.tapset_sets},
                {"kernel", {request.release, request.build_id, request.vermagic}},
                {"arch", request.architecture},
                {"module", request.module_name},
                {"guru", request.guru},
                {"pass", request.last_pass}}
        .dump();
}

}  // namespace tapir::server
