// SPDX-License-Identifier: GPL-2.0-or-later
#include "driver/find_builds.h"

#include <memory>
#include <mutex>

#include "common/quoting.h"
#include "debuginfod/debug_fetcher.h"
#include "options/tell.h"

namespace tapir::driver {

namespace {

// Several threads read parts of the same object.
class BuildFinder {
  public:
    BuildFinder(debuginfod::DebugServers servers, const Options &options)
        : screen_(options), fetcher_(std::move(servers), [this](const std::string &line) { notice(line); }) {}

    std::string find(const std::string &build_id) {
        const std::lock_guard lock(mutex_);
        const Outcome<std::string> found = fetcher_.find(debuginfod::FileKind::DebugInfo, build_id);
        if (!told_ && fetcher_.failure()) {
            told_ = true;
            notice("not all debug information was fetched: " + fetcher_.failure()->message());
        }
        return found ? *found : "";
    }

  private:
    void notice(const std::string &line) { tell(screen_, Voice::Notice, line); }

    const Options screen_;  // how messages are shown: the finder lives as long as the process
    std::mutex mutex_;
    debuginfod::DebugFetcher fetcher_;
    bool told_ = false;
};

}  // namespace

dwarf::FindBuild find_builds(const Options &options) {
    // One for all, so that a server that failed is not asked again, and the deadline holds for all files together.
    static const std::shared_ptr<BuildFinder> finder = [&options]() -> std::shared_ptr<BuildFinder> {
        const bool asks = options.action == Action::Script || options.action == Action::List ||
                          options.action == Action::ListVariables;
        if (!asks) {
            debuginfod::DebugServers none = debuginfod::servers_of_environment();
            none.urls.clear();
            return std::make_shared<BuildFinder>(std::move(none), options);
        }
        Outcome<debuginfod::DebugServers> servers = debuginfod::servers_of_settings({});
        if (servers) return std::make_shared<BuildFinder>(std::move(*servers), options);
        tell(options, Voice::Notice, "no server is asked for debug information: " + servers.fault().message());
        return nullptr;
    }();
    if (!finder) return {};
    return [](const std::string &build_id) { return finder->find(build_id); };
}

std::string about_servers(const debuginfod::DebugServers &servers) {
    std::string urls;
    for (const std::string &url : servers.urls)
        urls += " " + printable(url);
    if (urls.empty())
        return "no server is asked for debug information by build-id (DEBUGINFOD_URLS is not set, or has no address)";
    return "asked for debug information of kernels, modules and programs, for " + std::to_string(servers.deadline_s) +
           " s at most:" + urls;
}

}  // namespace tapir::driver
