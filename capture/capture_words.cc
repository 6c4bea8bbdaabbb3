// SPDX-License-Identifier: GPL-2.0-or-later
#include <tapir/unwind.h>

#include "capture/capture_records.h"

namespace tapir::capture {

static_assert(
    static_cast<int>(End::Complete) == TAPIR_UNWIND_COMPLETE && static_cast<int>(End::Cut) == TAPIR_UNWIND_CUT &&
    static_cast<int>(End::NoObject) == TAPIR_UNWIND_NO_OBJECT &&
    static_cast<int>(End::NoTable) == TAPIR_UNWIND_NO_TABLE && static_cast<int>(End::NoRow) == TAPIR_UNWIND_NO_ROW &&
    static_cast<int>(End::Expression) == TAPIR_UNWIND_EXPRESSION &&
    static_cast<int>(End::Fault) == TAPIR_UNWIND_FAULT && static_cast<int>(End::Loop) == TAPIR_UNWIND_LOOP &&
    static_cast<int>(End::Busy) == TAPIR_UNWIND_BUSY && static_cast<int>(End::Foreign) == TAPIR_UNWIND_FOREIGN &&
    static_cast<int>(End::Return) == TAPIR_UNWIND_RETURN && static_cast<int>(End::NoCode) == TAPIR_UNWIND_NO_CODE &&
    static_cast<int>(End::Exec) == TAPIR_UNWIND_EXEC && static_cast<int>(End::Machine) == TAPIR_UNWIND_MACHINE &&
    static_cast<int>(End::Limit) == TAPIR_UNWIND_LIMIT && TAPIR_UNWIND_ENDS <= static_cast<int>(End::TableFull));

std::string_view end_text(End end) {
    switch (end) {
        case End::None:
            return "no stack";
        case End::Complete:
            return "complete";
        case End::Cut:
            return "cut at the limit of frames";
        case End::NoObject:
            return "code that is in no file";
        case End::NoTable:
            return "unwind table not made yet";
        case End::NoRow:
            return "code without unwind information";
        case End::Expression:
            return "unwind information of an unknown form";
        case End::Fault:
            return "stack memory not readable";
        case End::Loop:
            return "frames in a circle";
        case End::Busy:
            return "mappings being changed";
        case End::Foreign:
            return "no user mode";
        case End::Return:
            return "return address replaced by a probe";
        case End::NoCode:
            return "return address that is not in code";
        case End::Exec:
            return "program being replaced by exec";
        case End::Machine:
            return "program of another machine";
        case End::Limit:
            return "more frames than are kept";
        case End::TableFull:
            return "stack table full";
        case End::Missing:
            return "stack missing in the capture";
        case End::Count:
            break;
    }
    return "unknown end";
}

std::string_view end_hint(End end) {
    switch (end) {
        case End::Cut:
            return "ask for more frames: stacks(), or callers(-1) and ucallers(-1), walk to the root";
        case End::NoObject:
            return "let the interpreter write /tmp/perf-PID.map, or give it frame pointers";
        case End::NoTable:
            return "run it again: the tables are kept now";
        case End::NoRow:
            return "compile the code with -fasynchronous-unwind-tables";
        case End::Fault:
            return "pages of the stack were not in memory; trace for longer";
        case End::TableFull:
            return "give the table more room with --stack-memory=MEGABYTES";
        case End::Busy:
            return "trace when the program has loaded its libraries";
        case End::Return:
            return "leave out the return probes of the script";
        case End::Machine:
            return "32-bit programs have stacks that are not walked";
        case End::Limit:
            return "a stack has 128 frames of the kernel and 2,048 in all at most; no setting gives more";
        default:
            return "";
    }
}

std::string_view loss_text(Loss loss) {
    switch (loss) {
        case Loss::Output:
            return "output dropped";
        case Loss::StackTable:
            return "stack table full";
        case Loss::Array:
            return "array full";
        case Loss::TextCut:
            return "texts cut";
        case Loss::Overflow:
            return "sums too large for 64 bits";
        case Loss::Count:
            break;
    }
    return "unknown loss";
}

std::string_view loss_hint(Loss loss) {
    switch (loss) {
        case Loss::Output:
            return "give the buffers more room with -s MEGABYTES, or print less";
        case Loss::StackTable:
            return "give the table more room with --stack-memory=MEGABYTES";
        case Loss::Array:
            return "take fewer samples, or give arrays more room with -DMAXMAPENTRIES=N";
        case Loss::TextCut:
            return "give strings more room with -DMAXSTRINGLEN=N, at most 65536";
        case Loss::Overflow:
            return "sample values in a larger unit, such as value / 1000";
        case Loss::Count:
            break;
    }
    return "";
}

}  // namespace tapir::capture
