// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as the body of a request and as a stored result: nothing but plain names and listed options comes through.
#include <cstdlib>
#include <string>

#include "server/build_request.h"
#include "server/policy.h"
#include "server/results.h"

using namespace tapir::server;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    if (const tapir::Outcome<BuildRequest> parsed = parse_request(input); !parsed) {
        if (parsed.fault().text.empty()) abort();
    } else {
        const BuildRequest &request = *parsed;
        if (!is_plain_name(request.release) || !is_plain_name(request.name) || request.script.empty()) abort();
        if (request.last_pass < 1 || request.last_pass > 4) abort();
        for (const TextFile &file : request.tapsets)
            if (!is_plain_name(file.name)) abort();
        for (const std::string &option : request.options)
            if (option.size() < 2 || option[0] != '-' || option.find('\0') != std::string::npos ||
                option.starts_with("-I") || option.starts_with("-r") || option.starts_with("-B") ||
                option.starts_with("-c") || option.starts_with("-o"))
                abort();
        if (canonical(request).empty()) abort();
    }
    if (const auto result = parse_result(input); result && !parse_result(serialize(*result))) abort();
    Policy policy;
    static_cast<void>(policy.parse(input));
    tapir::trust::Tokens tokens;
    static_cast<void>(tokens.parse(input));
    return 0;
}
