// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/program_tasks.h"

namespace tapir::probes {

std::optional<ProgramTasks> find_tasks(const target::DebugObject &program) {
    const auto start = program.program->start();
    const auto offset = start ? program.program->code_offset(*start) : std::nullopt;
    if (!offset) return std::nullopt;
    return ProgramTasks{{program.module}, *start, *offset};
}

void write_tasks(const Attach &attach, const ProgramTasks &tasks, Arg &out) {
    out.nested("process", [&](Arg &process) {
        process.number("wildcard", int{attach.from_wildcard});
        process.number("optional", int{attach.optional});
        process.program("program", tasks.user.path);
        process.number("pid", tasks.user.pid);
    });
    out.number("start", tasks.start);
    out.number("start_offset", tasks.start_offset);
}

}  // namespace tapir::probes
