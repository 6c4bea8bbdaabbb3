// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors of a table in memory, as the emitted C would have them.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "syscalls/call_table.h"

namespace tapir::test {

class Descriptors {
  public:
    tapir_syscall call(const syscalls::Call &call) {
        return {text(call.name), list(call.args), static_cast<u8>(call.args.size()), static_cast<u8>(call.result)};
    }

  private:
    const char *text(std::string_view view) { return view.empty() ? nullptr : texts_.emplace_back(view).c_str(); }

    const tapir_show *list(const std::vector<syscalls::Show> &shows) {
        std::vector<tapir_show> &out = lists_.emplace_back();
        for (const syscalls::Show &show : shows)
            out.push_back(convert(show));
        return out.data();
    }

    tapir_show convert(const syscalls::Show &show) {
        return {static_cast<u8>(show.kind),
                static_cast<u8>(show.other < 0 ? TAPIR_SHOW_ALONE : show.other),
                {show.size[0], show.size[1]},
                {show.at[0], show.at[1]},
                show.count,
                text(show.name),
                of(show)};
    }

    const void *of(const syscalls::Show &show) {
        if (show.kind == TAPIR_SHOW_CHOICE) {
            std::vector<tapir_choice_case> &cases = cases_.emplace_back();
            for (const syscalls::Choice &choice : show.choices)
                cases.push_back({choice.value, choice.mask, list({choice.show})});
            return &choices_.emplace_back(tapir_choice{static_cast<u32>(cases.size()), cases.data()});
        }
        if (show.names) {
            std::vector<tapir_name> &names = names_lists_.emplace_back();
            for (const syscalls::Name &name : show.names->list)
                names.push_back({name.value, name.mask, text(name.name)});
            return &names_.emplace_back(tapir_names{static_cast<u32>(names.size()), names.data(),
                                                    text(show.names->unknown), show.names->plain,
                                                    show.names->permissions});
        }
        if (show.record)
            return &records_.emplace_back(tapir_struct{{show.record->size[0], show.record->size[1]},
                                                       static_cast<u16>(show.record->fields.size()),
                                                       list(show.record->fields)});
        return show.element ? list({*show.element}) : nullptr;
    }

    std::deque<std::string> texts_;
    std::deque<std::vector<tapir_show>> lists_;
    std::deque<std::vector<tapir_choice_case>> cases_;
    std::deque<tapir_choice> choices_;
    std::deque<std::vector<tapir_name>> names_lists_;
    std::deque<tapir_names> names_;
    std::deque<tapir_struct> records_;
};

}  // namespace tapir::test
