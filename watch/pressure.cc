// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/pressure.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/command_words.h"
#include "common/percentage.h"
#include "common/plain_text.h"
#include "watch/watch_options.h"

namespace tapir::watch {

namespace {

// The kernel's own limits.
constexpr unsigned kLeastWindow = 500'000, kMostWindow = 10'000'000, kUsualWindow = 2'000'000;

Fault no_pressure(const std::string &text) {
    return {FaultTag::Misuse, "'" + text + "' is no pressure",
            "write --on='RESOURCE some|full PERCENT [TIME]', as in 'cpu some 15%', 'memory full 5% 4s' or 'io some "
            "20%'; TIME is 500ms to 10s"};
}

}  // namespace

std::string Pressure::text() const {
    return resource + " " + who + format(" %g%% %gs", 100.0 * stall_us / window_us, window_us / 1e6);
}

Outcome<Pressure> read_pressure(const std::string &text) {
    std::vector<std::string> words;
    if (!split_words(text, words) || words.size() < 3 || words.size() > 4) return no_pressure(text);
    Pressure out{words[0], words[1], 0, kUsualWindow};
    if (out.resource != "cpu" && out.resource != "memory" && out.resource != "io" && out.resource != "irq")
        return no_pressure(text);
    if (out.who != "some" && out.who != "full") return no_pressure(text);
    if (words.size() == 4) {
        const std::optional<uint64_t> window = read_duration(words[3]);
        if (!window || *window < kLeastWindow / 1000 || *window > kMostWindow / 1000) return no_pressure(text);
        out.window_us = static_cast<unsigned>(*window * 1000);
    }
    const std::optional<uint32_t> share = hundredths_of_percent(words[2]);
    if (!share) return no_pressure(text);
    out.stall_us = static_cast<unsigned>(uint64_t{out.window_us} * *share / 10000);
    if (!out.stall_us) return no_pressure(text);
    return out;
}

Outcome<Descriptor> watch_pressure(const Pressure &pressure, const std::string &folder) {
    const std::string path = folder + "/" + pressure.resource;
    Descriptor file(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    const std::string asked = format("%s %u %u", pressure.who.c_str(), pressure.stall_us, pressure.window_us);
    // The kernel wants the zero at its end, too.
    if (file.get() >= 0 && write(file.get(), asked.c_str(), asked.size() + 1) > 0) return file;
    const bool missing = errno == ENOENT || errno == EOPNOTSUPP;
    return Fault{FaultTag::FileUnwritable, "'" + path + "' cannot be watched: " + strerror(errno),
                 missing ? "the kernel needs CONFIG_PSI, and psi=1 where it is off by default" : ""};
}

}  // namespace tapir::watch
