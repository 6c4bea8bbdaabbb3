// SPDX-License-Identifier: GPL-2.0-or-later
// Fleets of hosts that a stand-in for ssh plays: each is a folder, and commands run on this machine.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../patience.h"
#include "remote/fleet.h"

namespace tapir::remote {

namespace fs = std::filesystem;

// The name of a host decides its fate: "dead" refuses connections, "mute" does not answer them, "lost"
// breaks while the script runs, "stuck" takes no files, "cut" is cut off after two seconds without anything being
// closed.
inline constexpr const char *kSsh = R"sh(#!/bin/bash
for word; do
    case $word in
    -N) master=1 ;;
    ControlPath=*) socket=${word#*=} ;;
    esac
    before=$last last=$word
done
echo "$*" >>"$D/log"
if [ "${master:-}" ]; then
    host=$last
    echo $$ >>"$D/masters"
    case $host in
    dead*) echo "banner" >&2; echo "ssh: connect to host $host port 22: Connection refused" >&2; exit 255 ;;
    mute*) exec sleep 1000 ;;
    esac
    touch "$socket"
    trap 'rm -f "$socket"; exit 255' TERM
    sleep 1000 & wait
fi
host=$before
[ -e "$socket" ] || { echo "no connection" >&2; exit 255; }
mkdir -p "$D/hosts/$host"
export HOST=$host TMPDIR=$D/hosts/$host PATH=$D/bin:$PATH
cd "$TMPDIR"
for shell in bash busybox; do
    case $host in *-$shell-*) PATH=$D/$shell:$PATH ;; esac
done
case $host in *greeting*) printf 'Welcome to\n%s: 7 users' "$host" ;; esac
case "$host $last" in
lost*" exec sh -c 'T="*) timeout 1.5 cat | sh -c "$last"; echo "Connection to $host closed by remote host." >&2; exit 255 ;;
broken*".part"*) exit 1 ;;
cut*" exec sh -c 'T="*)
    exec 4<&0
    { timeout $PATIENCE cat <&4; exec sleep 60 4<&-; } | setsid sh -c "$last" 4<&- &
    sleep $((PATIENCE + 1))
    echo "Timeout, server $host not responding." >&2
    exit 255 ;;
stuck*".part"*) echo begun >>"$D/copies"; exec sleep 1000 ;;
silent*" exec sh -c 'T="*) exec sleep 1000 ;;
esac
# Like what a real host runs, this outlives the connection.
setsid sh -c "$last" <&0 &
wait $!
)sh";

// A shell starts what runs in the background with SIGINT ignored; staprun undoes that, and so does this.
inline constexpr const char *kStaprun = R"sh(#!/bin/bash
[ "${AGAIN:-}" ] || AGAIN=1 exec env --default-signal=INT "$0" "$@"
[ "$1" = -d ] && { echo "$HOST removes ${2##*/}" >>"$D/removed"; exit 0; }
[ "$1" = --doctor ] && { echo "examined $HOST${TAPIR_MESSAGES:+ for a $TAPIR_MESSAGES}"; exit 0; }
trap 'echo "$HOST ends"; exit ${STATUS:-0}' INT
trap 'echo "$HOST stops"; exit ${STATUS:-0}' TERM
[[ $HOST = stubborn* ]] && trap "echo $HOST again" INT TERM
echo "$HOST: $*"
echo "warning of $HOST" >&2
cat "${@: -1}" 2>/dev/null
case $HOST in
recording*)
    for i in {1..200}; do echo "{\"v\":1,\"n\":$i}"; done
    printf '{"v":1,"cut'
    exit 0 ;;
failing*) exit 3 ;;
quick*) exit 0 ;;
agree*) printf 'a warning of all\n  and how to mend it\n' >&2; exit 0 ;;
chatty*) yes "$HOST 0123456789012345678901234567890123456789" & trap "kill $!; exit" INT TERM; wait; exit ;;
esac
while :; do sleep 0.05; done
)sh";

class FleetTest : public testing::Test {
  protected:
    FleetTest() {
        char pattern[] = "/tmp/tapir-fleet.XXXXXX";
        dir_ = mkdtemp(pattern);
        for (const char *name : {"bin", "bash", "busybox"})
            fs::create_directories(dir_ / name);
        setenv("D", dir_.c_str(), 1);
        setenv("PATIENCE", std::to_string(static_cast<int>(tests::patience())).c_str(), 1);
        write("ssh", kSsh);
        write("staprun", kStaprun);
        write("bash/sh", "#!/bin/sh\nexec bash \"$@\"\n");
        write("busybox/sh", "#!/bin/sh\nexec busybox sh \"$@\"\n");
        write("bin/id", "#!/bin/sh\necho ${TAPIR_TEST_UID:-0}\n");
        // The host's name says which kernel it has: "quick-6.1" has 6.1.
        write("bin/uname", "#!/bin/sh\ncase $1 in -r) echo ${HOST##*-};; -m) echo x86_64;; *) echo '#1';; esac\n");
        options_.ssh = (dir_ / "ssh").string();
        options_.staprun = (dir_ / "staprun").string();
        options_.staprun_version = "stand-in\n";
        options_.build = [](const Facts &facts) {
            return std::vector<std::string>{"sh", "-c",
                                            "echo $1 >>$D/builds; [ $1 = none ] && { echo no headers >&2; exit 1; }; "
                                            "[ $1 = slow ] && sleep 1000; [ $1 = late ] && sleep $((PATIENCE * 3 + "
                                            "6)); echo text; echo module of $1 >$D/m_$1.ko; "
                                            "echo $D/m_$1.ko",
                                            "build", facts.release};
        };
        options_.arguments = [](size_t number, const Host &host, const std::string &module) {
            return std::vector<std::string>{"-r", std::to_string(number) + ":" + host.uri, module};
        };
        options_.end_seconds = 2;
    }
    ~FleetTest() override {
        unsetenv("D");
        unsetenv("TAPIR_TEST_UID");
        fs::remove_all(dir_);
    }

    void write(const std::string &name, const std::string &text) {
        std::ofstream(dir_ / name) << text;
        fs::permissions(dir_ / name, fs::perms::owner_all);
    }
    std::string read(const std::string &name) {
        std::ostringstream text;
        text << std::ifstream(dir_ / name).rdbuf();
        return text.str();
    }
    // Lines of a file in order.
    std::vector<std::string> sorted(const std::string &name) {
        std::istringstream text(read(name));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);)
            lines.push_back(line);
        std::sort(lines.begin(), lines.end());
        return lines;
    }

    // Signals to this process when a file has these texts, by a process that is not the fleet's. Stands in for a user.
    void signal_when(const std::string &file, const std::vector<std::string> &texts, const std::vector<int> &numbers) {
        const pid_t parent = getpid();
        helper_ = fork();
        if (helper_ != 0) return;
        for (const std::string &text : texts)
            tests::patiently(30, [&] { return read(file).find(text) != std::string::npos; });
        for (int number : numbers) {
            kill(parent, number);
            usleep(500000);
        }
        _exit(0);
    }

    FleetResult run(const std::vector<std::string> &names, const char *output = nullptr) {
        hosts_.clear();
        for (const std::string &name : names)
            hosts_.push_back({name, name, 0});
        options_.output =
            open(output ? output : (dir_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        options_.errors = open((dir_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        const auto begun = std::chrono::steady_clock::now();
        FleetResult result = run_fleet(hosts_, options_);
        seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
        close(options_.output);
        close(options_.errors);
        if (helper_ > 0) waitpid(helper_, nullptr, 0);
        return result;
    }
    // A fleet in a process that is killed when a file has this text. No connection may be left, nor a socket of one.
    void kill_when(const std::string &name, const std::string &file, const std::string &text) {
        write("log", "");
        write("masters", "");
        const pid_t pid = fork();
        if (pid == 0) {
            run({name});
            _exit(0);
        }
        ASSERT_TRUE(tests::patiently(30, [&] { return read(file).find(text) != std::string::npos; })) << name;
        kill(pid, SIGKILL);
        waitpid(pid, nullptr, 0);
        const pid_t master = std::atoi(read("masters").c_str());
        ASSERT_GT(master, 0);
        const std::string log = read("log"), word = "ControlPath=";
        const std::string socket = log.substr(log.find(word) + word.size());
        const std::string path = socket.substr(0, socket.find(' '));
        ASSERT_TRUE(tests::patiently(10, [&] { return kill(master, 0) != 0 && !fs::exists(path); })) << name;
        fs::remove(fs::path(path).parent_path());
    }
    // Nothing may be left on any host. A host that was not told to end needs a moment for it.
    void expect_clean() {
        std::string left;
        const bool clean = tests::patiently(30, [&] {
            left.clear();
            for (const auto &entry : fs::recursive_directory_iterator(dir_ / "hosts"))
                if (entry.path().parent_path() != dir_ / "hosts") left += entry.path().string() + "\n";
            return left.empty();
        });
        ASSERT_TRUE(clean) << left;
    }

    fs::path dir_;
    FleetOptions options_;
    std::vector<Host> hosts_;
    pid_t helper_ = 0;
    double seconds_ = 0;
};

}  // namespace tapir::remote
