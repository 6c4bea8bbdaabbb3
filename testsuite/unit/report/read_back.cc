// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/report/read_back.h"

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "common/base64.h"

namespace tapir::report {

namespace {

using nlohmann::json;

std::string between(const std::string &text, const std::string &from, const std::string &to) {
    const size_t start = text.find(from);
    if (start == std::string::npos) return "";
    const size_t at = start + from.size();
    return text.substr(at, text.find(to, at) - at);
}

void replace_all(std::string &text, const std::string &from, const std::string &to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

}  // namespace

void add_stack(SumsByName &sums, const std::vector<std::string> &stack, int64_t value) {
    sums[stack.back()].self += value;
    for (const std::string &name : std::set<std::string>(stack.begin(), stack.end()))
        sums[name].total += value;
}

SumsByName read_folded(const std::string &text) {
    SumsByName sums;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const size_t blank = line.rfind(' ');
        std::vector<std::string> stack;
        std::istringstream names(line.substr(0, blank));
        for (std::string name; std::getline(names, name, ';');)
            stack.push_back(name);
        add_stack(sums, stack, std::atoll(line.c_str() + blank));
    }
    return sums;
}

SumsByName read_shares(const std::string &text) {
    SumsByName sums;
    const json file = json::parse(text);
    for (const json &function : file["functions"]) {
        Sums &sum = sums[function["name"]];
        sum.self += function["self"]["value"].get<int64_t>();
        sum.total += function["total"]["value"].get<int64_t>();
    }
    return sums;
}

SumsByName read_speedscope(const std::string &text) {
    SumsByName sums;
    const json file = json::parse(text);
    const json &profile = file["profiles"][0];
    for (size_t i = 0; i < profile["samples"].size(); i++) {
        std::vector<std::string> stack;
        for (const json &frame : profile["samples"][i])
            stack.push_back(file["shared"]["frames"][frame.get<size_t>()]["name"]);
        add_stack(sums, stack, profile["weights"][i]);
    }
    return sums;
}

// Slices nest by their times.
SumsByName read_chrome(const std::string &text) {
    struct Slice {
        double start, end;
        std::string name;
        int64_t value, self;
    };
    SumsByName sums;
    std::map<int64_t, std::vector<Slice>> threads;
    const json file = json::parse(text);
    for (const json &event : file["traceEvents"])
        if (event["ph"] == "X" && event["pid"] == 1)
            threads[event["tid"]].push_back({event["ts"], event["ts"].get<double>() + event["dur"].get<double>(),
                                             event["name"], event["args"]["value"], event["args"]["value"]});
    for (const auto &[thread, slices] : threads) {
        std::vector<Slice> open;
        const auto close = [&](double before) {
            while (!open.empty() && open.back().end <= before + 1e-6) {
                std::vector<std::string> stack;
                for (const Slice &slice : open)
                    stack.push_back(slice.name);
                if (open.back().self) add_stack(sums, stack, open.back().self);
                open.pop_back();
            }
        };
        for (const Slice &slice : slices) {
            close(slice.start);
            if (!open.empty()) open.back().self -= slice.value;
            open.push_back(slice);
        }
        close(1e300);
    }
    return sums;
}

SumsByName read_firefox(const std::string &text) {
    SumsByName sums;
    const json file = json::parse(text);
    for (const json &thread : file["threads"]) {
        const json &samples = thread["samples"], &stacks = thread["stackTable"];
        const double scale = samples["weightType"] == "tracing-ms" ? 1000 : 1;  // of tests' microseconds
        for (size_t i = 0; i < samples["length"]; i++) {
            std::vector<std::string> stack;
            for (json at = samples["stack"][i]; !at.is_null(); at = stacks["prefix"][at.get<size_t>()]) {
                const size_t function = thread["frameTable"]["func"][stacks["frame"][at.get<size_t>()].get<size_t>()];
                stack.insert(stack.begin(), thread["stringArray"][thread["funcTable"]["name"][function].get<size_t>()]);
            }
            add_stack(sums, stack, std::llround(samples["weight"][i].get<double>() * scale));
        }
    }
    return sums;
}

// Boxes nest by their places: a row up is a call.
SumsByName read_svg(const std::string &text) {
    struct Box {
        double x, y, width;
        std::string name;
        int64_t value, self;
    };
    std::vector<Box> boxes;
    const std::regex form(
        "<g data-value=\"(-?[0-9]+)\"[^>]*><title>([^\n]*)\n[^<]*</title><rect class=\"[a-z]*\" x=\"([0-9.]+)\" "
        "y=\"([0-9.]+)\" width=\"([0-9.]+)\"");
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) {
        std::string name = (*at)[2];
        name = name.substr(0, name.find(" ["));
        for (const auto &[entity, plain] :
             std::map<std::string, std::string>{{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
            replace_all(name, entity, plain);
        boxes.push_back({std::stod((*at)[3]), std::stod((*at)[4]), std::stod((*at)[5]), name, std::stoll((*at)[1]),
                         std::stoll((*at)[1])});
    }
    SumsByName sums;
    std::vector<std::vector<std::string>> stacks(boxes.size());
    // Parents come before their children.
    for (size_t i = 1; i < boxes.size(); i++)
        for (size_t parent = i; parent-- > 0;) {
            const Box &outer = boxes[parent];
            if (outer.y >= boxes[i].y || outer.x > boxes[i].x + 0.1 ||
                outer.x + outer.width < boxes[i].x + boxes[i].width - 0.1)
                continue;
            stacks[i] = stacks[parent];
            stacks[i].push_back(boxes[i].name);
            boxes[parent].self -= boxes[i].value;
            break;
        }
    for (size_t i = 1; i < boxes.size(); i++)
        if (boxes[i].self) add_stack(sums, stacks[i], boxes[i].self);
    return sums;
}

// As report/page/script/10_data.js reads it.
SumsByName read_page(const std::string &text) {
    SumsByName sums;
    const json data = json::parse(between(text, "<script id=\"data\" type=\"application/json\">", "</script>"));
    const std::string numbers = *from_base64(between(text, "<script id=\"numbers\" type=\"text/plain\">", "</script>"));
    size_t at = 0;
    const auto next = [&] {
        uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(numbers.at(at++));
            value |= static_cast<uint64_t>(byte & 127) << shift;
            if (byte < 128) return value;
        }
    };
    std::vector<std::vector<std::string>> stacks(next());
    std::vector<std::string> path;
    for (size_t i = 1; i < stacks.size(); i++) {
        path.resize(path.size() - next());
        path.push_back(data["names"][next()]);
        stacks[i] = path;
    }
    const bool timed = data["timed"];
    size_t node = 0;
    for (size_t left = next(); left; left--) {
        node += next();
        next();
        add_stack(sums, stacks[node], static_cast<int64_t>(next()));
        next();
        if (timed) next();
    }
    return sums;
}

SumsByName read_pprof_raw(const std::string &text) {
    std::map<uint64_t, std::string> names;
    const std::string locations = text.substr(text.find("\nLocations\n") + 11);
    const std::regex location(" *([0-9]+): 0x[0-9a-f]+ (?:M=[0-9]+ )?(.*) [^ ]*:[0-9]+(?::[0-9]+)? s=[0-9]+.*");
    std::istringstream location_lines(locations.substr(0, locations.find("\nMappings")));
    std::smatch match;
    for (std::string line; std::getline(location_lines, line);)
        if (std::regex_match(line, match, location)) names[std::stoull(match[1])] = match[2];
    SumsByName sums;
    const std::regex sample(" *(?:[0-9]+ +)*([0-9]+): ([0-9 ]+)");
    std::istringstream lines(text.substr(0, text.find("\nLocations\n")));
    for (std::string line; std::getline(lines, line);) {
        if (!std::regex_match(line, match, sample)) continue;
        std::vector<std::string> stack;
        std::istringstream ids(match[2]);
        for (uint64_t id = 0; ids >> id;)
            stack.insert(stack.begin(), names[id]);
        add_stack(sums, stack, std::stoll(match[1]));
    }
    return sums;
}

}  // namespace tapir::report
