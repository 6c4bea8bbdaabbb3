// SPDX-License-Identifier: GPL-2.0-or-later
// Any words on staprun's command line, and any text as /etc/group: nothing is accepted half, and no user gets in by
// them.
#include <cstdlib>
#include <string>
#include <vector>

#include "admission.h"
#include "audit.h"

using namespace tapir::staprun;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    std::vector<std::string> words = {"staprun"};
    std::string word;
    for (size_t i = 0; i < size; i++) {
        if (data[i]) {
            word += static_cast<char>(data[i]);
        } else {
            words.push_back(word);
            word.clear();
        }
    }
    words.push_back(word);
    const ParsedOptions parsed = parse_options(words);
    const Options &options = parsed.options;
    const bool runs = options.action == Action::Run || options.action == Action::Attach;
    if (parsed.outcome && runs) {
        // An empty name is a file that is not there, and not an accident of the parser.
        if (check_caller({1000, 1000, Standing::Nobody}, options)) abort();
        bool limited = options.load_only || options.daemon || options.suppress_errors;
        for (unsigned i = 0; i < TAPIR_LIMITS; i++)
            if (i != TAPIR_LIMIT_BUFFER_BYTES && i != TAPIR_LIMIT_STACK_BYTES && i != TAPIR_LIMIT_OVERLOAD &&
                i != TAPIR_LIMIT_BUDGET && options.limits[i])
                limited = true;
        if (limited && check_caller({1000, 1000, Standing::System}, options)) abort();
    }
    AuditRecord record = {event_of(options.action), "refused", {1000, 1000, Standing::Nobody}};
    record.module = options.module;
    record.reason = parsed.outcome ? "" : parsed.outcome.fault().message();
    for (char c : audit_line(record))
        if (c < ' ' || c > '~') abort();
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    gid_t group = 0;
    if (find_group(text, "stapusr", group) && (group == 0 || group == static_cast<gid_t>(-1))) abort();
    return 0;
}
