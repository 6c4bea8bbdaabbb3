// SPDX-License-Identifier: GPL-2.0-or-later
// process(...).data(...): memory of programs that the processor's debug registers watch, in each thread of the
// processes.
#include <algorithm>

#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"
#include "probes/program_tasks.h"
#include "target/process_scope.h"
#include "target/program_data.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kDataPrograms[] = {"process", "process(string)", "process(number)"};
constexpr std::string_view kData[] = {"data(string)", "data(number)"};
constexpr std::string_view kAccesses[] = {".write", ".rw", ".length(number).write", ".length(number).rw"};
constexpr std::string_view kNoAccess[] = {"", ".length(number)"};
constexpr std::string_view kWhichAccess = "end it with .write or .rw: which accesses are meant?";
constexpr std::string_view kLibraryData =
    "variables of libraries cannot be watched: processes map a library wherever and whenever they like; probe what "
    "writes them with .statement()";

// Those that can be used, then those that are refused.
class UserDataForms {
  public:
    UserDataForms() {
        add(".", kAccesses);
        const size_t built = texts_.size();
        add(".library(string).", kAccesses);
        const size_t of_libraries = texts_.size();
        add(".", kNoAccess);
        for (size_t i = 0; i < texts_.size(); ++i)
            forms_.push_back({texts_[i], i < built          ? std::string_view()
                                         : i < of_libraries ? kLibraryData
                                                            : kWhichAccess});
    }
    std::span<const Form> list() const { return forms_; }

  private:
    void add(std::string_view library, std::span<const std::string_view> accesses) {
        for (std::string_view program : kDataPrograms)
            for (std::string_view data : kData)
                for (std::string_view access : accesses)
                    texts_.push_back(std::string(program) + std::string(library) + std::string(data) +
                                     std::string(access));
    }

    std::vector<std::string> texts_;
    std::vector<Form> forms_;
};

std::span<const Form> user_data_forms() {
    static const UserDataForms all;
    return all.list();
}

constexpr uint64_t kLengths[] = {1, 2, 4, 8};

bool can_watch(uint64_t address, uint64_t length) {
    return std::find(std::begin(kLengths), std::end(kLengths), length) != std::end(kLengths) && address % length == 0;
}

// ".length(1), .length(2)": those that begin at the address and end within `most` bytes.
std::string lengths_at(uint64_t address, uint64_t most) {
    std::string text;
    for (uint64_t length : kLengths)
        if (length <= most && can_watch(address, length))
            text += (text.empty() ? ".length(" : ", .length(") + std::to_string(length) + ")";
    return text;
}

// The memory that a point describes.
class DataRequest {
  public:
    DataRequest(const ast::ProbePoint &point, const ResolveContext &context)
        : data_(point.components[1]),
          length_(point.components.size() > 3 ? &point.components[2] : nullptr),
          reads_(point.components.back().name == "rw"),
          context_(context) {}

    // The memory in one program; nothing after a report.
    std::optional<UserWatch> find(const target::DebugObject &object) const {
        const auto tasks = find_tasks(object);
        if (!tasks) {
            report(Tag::NoSuchProgram, data_,
                   object.module +
                       " is a library, which no process runs: its variables cannot be watched; probe what "
                       "writes them with .statement()");
            return std::nullopt;
        }
        const auto data = is_named() ? find_variable(object) : find_address(object);
        if (!data) return std::nullopt;
        const uint64_t length = find_length(*data);
        if (!length) return std::nullopt;
        object.used = true;
        UserWatch watch;
        watch.tasks = *tasks;
        watch.address = data->address;
        watch.length = static_cast<uint32_t>(length);
        watch.reads = reads_;
        return watch;
    }

    // Returns the part of the expanded point behind the program.
    std::string text() const {
        std::string text = "data(";
        if (is_named())
            text += "\"" + string_text(string_argument(data_)) + "\")";
        else
            text += std::to_string(number_argument(data_)) + ")";
        if (length_) text += ".length(" + std::to_string(number_argument(*length_)) + ")";
        return text + (reads_ ? ".rw" : ".write");
    }

  private:
    void report(Tag tag, const ast::PointComponent &part, std::string message) const {
        context_.diagnostics.report(tag, part.arg->at, std::move(message));
    }

    std::optional<target::ProgramData> find_variable(const target::DebugObject &object) const {
        std::string why;
        auto found = target::find_program_data(object, string_argument(data_), why);
        if (!found) report(Tag::NoSuchData, data_, why);
        return found;
    }

    std::optional<target::ProgramData> find_address(const target::DebugObject &object) const {
        const auto address = static_cast<uint64_t>(number_argument(data_));
        if (object.program->is_fixed() || object.program->has_memory(address, 1))
            return target::ProgramData{address, 0};
        report(Tag::NoSuchData, data_,
               object.module +
                   " has no memory at this address: it is loaded anywhere, and the address is taken as "
                   "linked, as nm prints it");
        return std::nullopt;
    }

    bool is_named() const { return data_.arg->kind == ast::ExprKind::String; }

    // "'x' (24 bytes at 0x4010)"
    std::string describe(const target::ProgramData &data) const {
        if (!is_named()) return "what is at " + code_address_text(data.address);
        return "'" + string_argument(data_) + "' (" +
               (data.size ? std::to_string(data.size) + " bytes" : "of a size that is not known,") + " at " +
               code_address_text(data.address) + ")";
    }

    // 0 after a report.
    uint64_t find_length(const target::ProgramData &data) const {
        constexpr std::string_view kRule = "the processor watches 1, 2, 4 or 8 bytes, at multiples of as many";
        const uint64_t most = data.size ? data.size : kLengths[std::size(kLengths) - 1];
        const std::string possible = lengths_at(data.address, most);
        if (!length_) {
            const uint64_t usual = is_named() ? data.size : 1;
            if (can_watch(data.address, usual)) return usual;
            report(Tag::DataLength, data_,
                   "how many bytes of " + describe(data) + " are meant? Add " + possible + ": " + std::string(kRule));
            return 0;
        }
        const int64_t given = number_argument(*length_);
        if (given > 0 && static_cast<uint64_t>(given) <= most && can_watch(data.address, static_cast<uint64_t>(given)))
            return static_cast<uint64_t>(given);
        report(Tag::DataLength, *length_, std::string(kRule) + "; of " + describe(data) + " it can watch " + possible);
        return 0;
    }

    const ast::PointComponent &data_;
    const ast::PointComponent *length_;
    bool reads_;
    const ResolveContext &context_;
};

void resolve_user_data(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    if (!is_watchable(point, context)) return;
    size_t at = 0;
    Where where = read_program(point, at);
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    const DataRequest request(point, context);
    const size_t mark = context.diagnostics.mark(), before = out.size();
    for (const target::DebugObject *object : objects) {
        auto watch = request.find(*object);
        if (!watch) continue;
        watch->tasks.user.pid = where.pid;
        Attach attach;
        attach.kind = Kind::UserData;
        attach.arg = *watch;
        attach.scope = target::make_process_scope(object, target::SystemCall::None);
        attach.from_wildcard = objects.size() > 1;
        attach.point = program_prefix(where, *object) + request.text();
        out.push_back(std::move(attach));
    }
    // Not every file of a pattern needs to have it.
    if (out.size() != before) context.diagnostics.drop_since(mark);
}

void write_user_data(const Attach &attach, Arg &out) {
    const auto &watch = attach.as<UserWatch>();
    out.type("tapir_user_data_arg");
    out.nested("task", [&](Arg &task) { write_tasks(attach, watch.tasks, task); });
    out.number("address", watch.address);
    out.number("length", watch.length);
    out.number("reads", int{watch.reads});
}

}  // namespace

const KindOps kUserData = {.forms = user_data_forms(), .resolve = resolve_user_data, .write_arg = write_user_data};

}  // namespace tapir::probes
