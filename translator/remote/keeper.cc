// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/keeper.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>

#include "common/build_id.h"
#include "common/quoting.h"

namespace tapir::remote {
namespace {

// Becomes one line between single quotes, for shells from csh to fish: it must not have ' nor two backslashes in a row,
// and no ! but before a blank. T is the token. An executable file without a first line for the kernel tells whether the
// file system lets programs run: the shell itself interprets it if execve() does not refuse it.
//
// The output of login scripts may not have ended its line.
//
// SIGHUP and its like must not keep the directory from being removed; traps, unlike ignored signals, do not reach the
// program that is run. `wait` returns early when one of them comes. Background jobs do not hold on to the
// output, which would keep the connection open; shells tell of jobs that were killed unless they are waited for.
//
// A network that was cut closes nothing, so silence counts: `dog` marks every A seconds that it has heard nothing, the
// reader takes the mark away with each ALIVE, and a mark that is still there six times in a row ends the program. It is
// a mark of silence, not of life, as a full disk may keep it from being made. `stop` leaves end probes and the removal
// of the module time; what staprun could not remove when it was killed, another one does.
constexpr std::string_view kKeeper = R"keeper(
u=$(umask); umask 077; trap : HUP INT TERM PIPE; exec 3<&0; d=; g=;
for p in "$TMPDIR" /tmp /var/tmp /run /dev/shm "$HOME"; do
[ -n "$p" ] && mkdir "$p/tapir-$T" 2>/dev/null || continue; d=$p/tapir-$T;
echo : >"$d/try" && chmod 700 "$d/try" && "$d/try" 2>/dev/null && rm -f "$d/try" && break; rm -rf "$d"; d=; done;
dog() { m=0; while sleep $A; do if [ -e "$d/silent" ]; then m=$((m+1)); else m=0; true >"$d/silent"; fi; [ $m -lt 6 ] || return 0; done; return 1; };
calm() { [ -z "$g" ] || { kill -s KILL $g; wait $g; } 2>/dev/null; g=; };
end() { calm; [ -z "$d" ] || rm -rf "$d"; exit $1; };
stop() { for i in 5 5 10; do kill -s TERM $p; sleep $i; done; kill -s KILL $p; };
echo; echo "$T release $(uname -r)"; echo "$T machine $(uname -m)"; echo "$T version $(uname -v)";
echo "$T uid $(id -u 2>/dev/null)"; echo "$T directory $d";
echo "$T boot $(cat /proc/sys/kernel/random/boot_id 2>/dev/null)";
echo "$T notes "$(od -An -v -tx1 /sys/kernel/notes 2>/dev/null || hexdump -v -e "1/1 \"%02x \"" /sys/kernel/notes 2>/dev/null);
PATH=$PATH:/usr/local/bin:/usr/bin:/usr/sbin:/sbin:/bin; export PATH;
if s=$(command -v staprun); then echo "$T staprun $s";
"$s" --version 2>/dev/null </dev/null | while read -r l; do echo "$T answer $l"; done; fi; echo "$T ready";
[ -z "$d" ] || { { dog && { kill -s KILL $$; rm -rf "$d"; }; } </dev/null 3<&- >/dev/null 2>&1 & g=$! ; };
n=$(printf "\nx"); n=${n%x}; while read -r w l <&3 || end 0; [ "$w" = ALIVE ]; do rm -f "$d/silent"; done;
[ "$w" = run ] || end 0; calm; rm -f "$d/silent"; eval "set -- $l"; f=; for w; do case $w in "$d"/*.ko) f=$w; break;; esac; done;
{ umask $u; exec "$@"; } </dev/null 3<&- & p=$! ;
{ while read -r w; do case $w in ALIVE) rm -f "$d/silent";; *) kill -s "$w" $p;; esac; done; stop; } <&3 >/dev/null 2>&1 & r=$! ;
{ dog && stop; } </dev/null 3<&- >/dev/null 2>&1 & g=$! ;
exec 3<&-; wait $p; c=$?; while kill -0 $p 2>/dev/null; do wait $p; c=$?; done; kill -s KILL $r 2>/dev/null;
[ $c -le 128 ] || [ -z "$f" ] || "$1" -d "$f" </dev/null >/dev/null 2>&1; end $c)keeper";

bool take(std::string_view &line, std::string_view prefix) {
    if (!line.starts_with(prefix)) return false;
    line.remove_prefix(prefix.size());
    return true;
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

// A word for the shell; newlines, which would end the line, are what the keeper has in $n.
std::string quoted(const std::string &word) {
    return shell_quoted(word, "'\"$n\"'");
}

}  // namespace

std::string keeper_command(const std::string &token, unsigned alive_seconds) {
    std::string script(kKeeper);
    std::replace(script.begin(), script.end(), '\n', ' ');
    return "exec sh -c 'T=" + token + ";A=" + std::to_string(alive_seconds) + ";" + script + "'";
}

std::string upload_command(const std::string &directory, const std::string &name) {
    return "exec sh -c 'umask 077; cd " + directory + " && cat >" + name + ".part && mv " + name + ".part " + name +
           " && chmod 700 " + name + " && echo && { sha256sum <" + name + " 2>/dev/null || wc -c <" + name + "; }'";
}

bool take_fact(std::string_view line, const std::string &token, Facts &facts) {
    if (!take(line, token + " ")) return false;
    if (line == "ready") return true;
    if (take(line, "release "))
        facts.release = line;
    else if (take(line, "machine "))
        facts.machine = line;
    else if (take(line, "version "))
        facts.version = line;
    else if (take(line, "uid "))
        facts.uid = line;
    else if (take(line, "boot "))
        facts.boot = line;
    else if (take(line, "directory "))
        facts.directory = line;
    else if (take(line, "notes "))
        facts.build_id = build_id_of_hex_notes(line);
    else if (take(line, "staprun "))
        facts.staprun = line;
    else if (take(line, "answer "))
        facts.staprun_version += std::string(line) + "\n";
    return false;
}

std::string run_line(const std::string &program, const std::vector<std::string> &arguments) {
    std::string line = "run " + quoted(program);
    for (const std::string &argument : arguments)
        line += " " + quoted(argument);
    return line + "\n";
}

bool is_plain_path(const std::string &path) {
    return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](unsigned char c) {
               return std::isalnum(c) || c == '/' || c == '.' || c == '_' || c == '-' || c == '+';
           });
}

std::string build_id_of_hex_notes(std::string_view hexadecimal) {
    std::string bytes;
    int high = -1;
    for (char c : hexadecimal) {
        const int value = digit(c);
        if (value < 0) continue;
        if (high >= 0) bytes += static_cast<char>(high * 16 + value);
        high = high >= 0 ? -1 : value;
    }
    return build_id_of_notes(bytes);
}

}  // namespace tapir::remote
