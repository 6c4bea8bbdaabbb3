// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/thread_frames.h"

#include <tapir/unwind.h>

#include <limits>

namespace tapir::core {

namespace {

// The callbacks of a walk, on a process.
class Source {
  public:
    explicit Source(Remains &process) : process_(process) {
        source_.data = this;
        source_.machine = TAPIR_CORE_MACHINE;
        source_.last = &last_;
        source_.find = find;
        source_.read = read;
        last_.object = TAPIR_UNWIND_NO_NUMBER;
    }
    const tapir_unwind_source *get() const { return &source_; }

  private:
    static const tapir_unwind_table *find(void *data, u64 address, u32 *place, u8 *end) {
        auto *self = static_cast<Source *>(data);
        tapir_unwind_mapping &last = self->last_;
        if (address - last.start >= last.length && !self->process_.table_of(address, last, *end)) {
            last.length = 0;
            return nullptr;
        }
        const u64 at = address - last.start + last.place;
        if (at > std::numeric_limits<u32>::max()) {
            *end = TAPIR_UNWIND_NO_ROW;
            return nullptr;
        }
        *place = static_cast<u32>(at);
        return last.table;
    }
    static int read(void *data, void *dst, u64 address, u32 length) {
        return static_cast<Source *>(data)->process_.read(dst, address, length) ? 0 : -1;
    }

    Remains &process_;
    tapir_unwind_mapping last_ = {};
    tapir_unwind_source source_ = {};
};

}  // namespace

uint8_t each_frame(Remains &process, const Thread &thread, const std::function<void(const Frame &)> &visit,
                   uint32_t most) {
    Source source(process);
    tapir_unwind_frame frame = {};
    for (unsigned number = 0; number < TAPIR_SAVED_REGISTERS; ++number)
        frame.regs[number] = thread.register_value(number);
    frame.pc = thread.place();
    for (uint32_t count = 1;; ++count) {
        visit({frame.pc, frame.called != 0});
        if (count == most) return TAPIR_UNWIND_CUT;
        if (const uint8_t end = tapir_unwind_step(source.get(), &frame); end != TAPIR_UNWIND_MORE) return end;
    }
}

}  // namespace tapir::core
