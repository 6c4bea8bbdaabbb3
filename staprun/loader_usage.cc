// SPDX-License-Identifier: GPL-2.0-or-later
// The texts of staprun --help and --version.
#include "common/plain_text.h"
#include "loader_options.h"

namespace tapir::staprun {

std::string usage_text() {
    return "Usage: staprun [OPTION]... MODULE[.ko] [NAME=VALUE]...\n"
           "       staprun -A [OPTION]... NAME\n"
           "       staprun -d NAME...\n"
           "       staprun --doctor [--json]\n"
           "Insert a module made by stap -p4, start its probes, print what they print, remove it.\n"
           "\n"
           "  -o FILE            write to FILE (strftime conversions allowed) instead of stdout\n"
           "  -S SIZE[,N]        start a new file FILE.0, FILE.1, ... every SIZE megabytes; keep the last N\n"
           "  --format FORMAT    what is written: text, json (an object a line) or csv (tables of the script)\n"
           "  --refresh SECONDS  with --format=json: globals and the accounting so often (stap --refresh, --top)\n"
           "  --commands FD      do what lines of this descriptor say: stop, set, probe, reset\n"
           "  --bulk             one output file per CPU: FILE_0, FILE_1, ...\n"
           "  -b MB, -s MB       output buffer per CPU, in megabytes\n"
           "  --stack-memory MB  room for stacks that the script stores, 1 to 1024 (default: 64)\n"
           "  --max-events N     end when so many triggers have fired (@trigger)\n"
           "  --until TRIGGER    end when this trigger has fired; \"trigger\": any\n"
           "  --times[=MB]       keep the time and the thread of each sample (@sample), in up to so much\n"
           "                     of half that room (default: 16); for --record and pictures\n"
           "  --budget PERCENT   handle only as many hits as that share of each processor allows\n"
           "  --budget-file FILE share it with the other sessions that name this file, as in /run\n"
           "  --on-overload ACTION   when probes take much of a processor's time: warn (default), stop,\n"
           "                     or stop:PERCENT (50)\n"
           "  -T MS              how long output may wait in the buffers, in milliseconds\n"
           "  -c CMD             run CMD when the probes are armed, end when it ends; target() is its process\n"
           "  --command-status   exit status 4 if nothing failed but CMD (default: 1)\n"
           "  -x PID             target() is PID\n"
           "  -N PID             functions like ns_pid() tell IDs of the namespaces of PID\n"
           "  --cgroup=PATH      run handlers only for tasks of the control group PATH, and of those below it\n"
           "  --duration SECONDS end after that time\n"
           "  --delay SECONDS    begin so long after the command of -c, or after the start\n"
           "  --from SECOND      the picture is without samples before that second of the session\n"
           "  --min-quality PERCENT   exit status 3 if fewer of the picture's samples are complete (default: 95)\n"
           "  --accept-partial   no such exit status\n"
           "  --own=PATTERN      these files are the program's own code in the picture, too\n"
           "  -G NAME=VALUE      set a global variable of the script, as the words after MODULE do\n"
           "  -r N:URI           say what remote_id() and remote_uri() tell: this is machine N, named URI\n"
           "  -R                 give the module a unique name, so that it can run several times at once\n"
           "  -L                 load, start, and leave the module running\n"
           "  -A                 attach to a module that was left running\n"
           "  -d                 stop and remove modules; '*' means all that are not in use\n"
           "  -D                 run in the background and print the process id (needs -o)\n"
           "  -t                 report hits and time per probe at the end\n"
           "  --compatible       print reports as SystemTap does, on a terminal, too\n"
           "  --mangled          show symbols of C++ and Rust as their files have them\n"
           "  -w                 no warnings\n"
           "  -C never|auto|always   color of ERROR and WARNING\n"
           "  --limit NAME=VALUE     set a limit: MAXACTION, MAXERRORS, MAXSKIPPED, MAXMAPENTRIES, ...\n"
           "  --suppress-handler-errors   count run-time errors only\n"
           "  --ledger=FILE      write the accounting of hits and output to FILE as JSON\n"
           "  --record=FILE      write samples of stacks with their names to FILE, a capture for stap-report\n"
           "  --record-as=NAME   what messages call FILE, for who moves it; without NAME they are silent on it\n"
           "  --command-line=TEXT    the command that was typed, for the capture; by default this one\n"
           "  --doctor           say whether scripts can be run on this machine, and if not what to do; --json for "
           "programs\n"
           "  -v                 say what is done\n"
           "  -V, --version      version\n"
           "  -h, --help         this text\n";
}

std::string version_text() {
    return format(
        "Tapir staprun version %s, module ABI %u\n"
        "This is free software under the GNU General Public License, version 2 or later.\n",
        TAPIR_VERSION, TAPIR_ABI);
}

}  // namespace tapir::staprun
