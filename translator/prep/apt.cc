// SPDX-License-Identifier: GPL-2.0-or-later
#include "prep/apt.h"

#include <set>
#include <sstream>

#include "common/run_program.h"

namespace tapir::prep {

namespace {

constexpr char kKeyring[] = "/usr/share/keyrings/debian-archive-keyring.gpg";

std::string output_text(const std::vector<std::string> &argv) {
    const Outcome<std::string> output = output_of(argv);
    return output ? *output : "";
}

}  // namespace

std::map<std::string, PackageSize> sizes_of(const std::vector<std::string> &packages) {
    std::map<std::string, PackageSize> sizes;
    if (packages.empty()) return sizes;
    std::vector<std::string> argv{"apt-cache", "show", "--no-all-versions"};
    argv.insert(argv.end(), packages.begin(), packages.end());
    std::istringstream lines(output_text(argv));
    std::string package;
    for (std::string line; std::getline(lines, line);) {
        const size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const std::string key = line.substr(0, colon), value = line.substr(colon + 2);
        if (key == "Package") package = value;
        if (key == "Size") sizes[package].bytes = std::strtoull(value.c_str(), nullptr, 10);
        if (key == "Installed-Size") sizes[package].installed = std::strtoull(value.c_str(), nullptr, 10) * 1024;
    }
    return sizes;
}

Download download_of(const std::vector<std::string> &packages) {
    Download download;
    std::vector<std::string> argv{"apt-get", "-qq", "install", "--no-install-recommends", "--print-uris"};
    argv.insert(argv.end(), packages.begin(), packages.end());
    // 'URI' FILE SIZE DIGEST
    std::istringstream lines(output_text(argv));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string uri, file;
        uint64_t size = 0;
        if (!line.starts_with("'") || !(fields >> uri >> file >> size)) continue;
        download.packages++;
        download.bytes += size;
    }
    return download;
}

std::string debug_sources(const std::string &targets) {
    // SITE -> suites
    std::map<std::string, std::set<std::string>> archives;
    std::istringstream lines(targets);
    for (std::string site, suite, line; std::getline(lines, line);) {
        std::istringstream fields(line);
        if (!(fields >> site >> suite)) continue;
        if (suite.ends_with("-debug") || site.find("ddebs.") != std::string::npos) return "";
        while (site.ends_with('/'))
            site.pop_back();
        // Debian's own; updates have no archive of debug symbols.
        if (site.ends_with("/debian") && suite.find('-') == std::string::npos) archives[site].insert(suite);
        if (site.ends_with("/debian-security") && suite.ends_with("-security")) archives[site].insert(suite);
    }
    std::string text;
    for (const auto &[site, suites] : archives) {
        text += (text.empty() ? "" : "\n") + std::string("Types: deb\nURIs: ") + site + "-debug\nSuites:";
        for (const std::string &suite : suites)
            text += " " + suite + "-debug";
        text += std::string("\nComponents: main\nSigned-By: ") + kKeyring + "\n";
    }
    return text;
}

std::string debug_sources() {
    return debug_sources(
        output_text({"apt-get", "indextargets", "--format", "$(SITE) $(RELEASE)", "Created-By: Packages"}));
}

}  // namespace tapir::prep
