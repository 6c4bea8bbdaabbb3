// SPDX-License-Identifier: GPL-2.0-or-later
// The debug information of a kernel and its modules: where it is, opened when it is asked for.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/dwarf_types.h"
#include "dwarf/frames.h"
#include "dwarf/functions.h"
#include "dwarf/index.h"
#include "dwarf/object.h"
#include "target/btf_info.h"
#include "target/calling_convention.h"
#include "target/program_files.h"
#include "target/running_files.h"
#include "target/scope.h"
#include "target/script_subject.h"
#include "target/tracepoint_systems.h"

namespace tapir::target {

class CodeImage;
class DebugInfo;

// One object with debug information: the kernel itself, a module, or a program, which may have none.
struct DebugObject {
    std::string module;  // as the kernel names it, "" for the kernel itself; of a program its path
    std::unique_ptr<dwarf::Object> object;
    std::unique_ptr<dwarf::Index> index;  // null, like `types`, for a program without debug information
    std::unique_ptr<dwarf::Types> types;
    std::optional<ProgramLayout> program;  // of a program or library
    const DebugInfo *debug = nullptr;      // likewise, the opener
    mutable bool used = false;             // something that depends on this very object was taken from it
    // Keyed by unit; has those that were asked for.
    mutable std::map<uint32_t, bool> unoptimized;
    mutable std::map<uint32_t, Passed> either;      // what becomes of a RustValue::Kind::Either
    mutable std::shared_ptr<const CodeImage> code;  // of a program, once function_exits() has been asked
    mutable bool named = false;  // for a program: the script needs its file, even if nothing in it was used

    std::optional<Anchor> anchor(uint64_t linked_address) const;
};

struct DebugSources {
    std::string release;               // "6.1.0-56-amd64"
    std::string build_dir;             // a build tree may have a vmlinux
    std::string modules;               // lib/modules/RELEASE in any place; "" is below `root`
    std::string root;                  // prefix of /usr, /lib and /boot; "" is the machine itself
    std::string cache_dir;             // indexes are kept in its index/; empty: not kept
    std::string debug_dir;             // where debug packages are installed; "" is <root>/usr/lib/debug
    std::string fetched_debug_dir;     // more of the kernel's debug packages, unpacked; used for files that debug_dir
                                       // lacks; "" for none
    std::string arch;                  // as `uname -m` prints it
    std::string image;                 // the boot image, which has BTF
    bool running = false;              // this kernel runs here
    const Subject *subject = nullptr;  // must outlive this; null: this machine, without a target
    // Makes an object file with the types of headers, "kernel<linux/tcp.h>" or "<stdio.h>": its path, or "" and why.
    // May be empty.
    std::function<std::string(const std::string &name, std::string &why)> compile_headers;
    dwarf::FindBuild find_build = {};  // asks servers for debug information by build-id; may be empty

    // The directories with debug information, in the order they are looked at.
    std::vector<std::string> debug_roots() const {
        std::vector<std::string> roots = {debug_dir.empty() ? root + "/usr/lib/debug" : debug_dir};
        if (!fetched_debug_dir.empty()) roots.push_back(fetched_debug_dir);
        return roots;
    }
};

class DebugInfo {
  public:
    // None: for tests and scripts that need no kernel.
    DebugInfo() = default;
    explicit DebugInfo(DebugSources sources);

    // Null without debug information; missing() has the reason. The result lives as long as this. Servers are asked
    // only if the kernel has no BTF: its debug information has hundreds of megabytes.
    const DebugObject *kernel() const;
    // The same for what BTF does not describe: places within functions, source files.
    const DebugObject *described_kernel() const;
    // Finds a module by the kernel's name or the file's ("snd-pcm" is "snd_pcm"), by the file's path, or by headers:
    // "kernel<linux/tcp.h>" for the kernel, "<stdio.h>" for programs.
    const DebugObject *module(std::string_view name) const;
    // A program or library by its path; null, and a reason in `error`, if the file is neither.
    const DebugObject *program(const std::string &path, std::string &error) const;
    // Names of the modules of this kernel that match a pattern, sorted; '-' and '_' are the same.
    std::vector<std::string> modules(std::string_view pattern) const;
    // Returns the module that exports a symbol; "" if none does, or without a build tree.
    std::string module_exporting(const std::string &symbol) const;
    // Names of the functions of a module by the symbols of its file, or of where it is loaded, sorted, a name as often
    // as there are functions of it; none when neither can be read. Code that is put elsewhere ("f.cold") is left out.
    const std::vector<std::string> &module_functions(std::string_view name) const;
    // BTF of the kernel ("") or a module; null without BTF.
    const BtfObject *btf(std::string_view module = "") const;
    // Returns a scope with the types of the whole kernel ("" or "kernel"), a module or a program, and its known global
    // variables. Takes the best source: DWARF, else BTF, else a program's symbols. Null if all are missing. A name
    // without a slash is that of a kernel module, else of a program along $PATH. With a core "" is the program of the
    // process, and the scope of the kernel is null.
    std::unique_ptr<Scope> whole_scope(std::string_view module = "") const;
    // Returns a scope for the entry of a function of the kernel or of a module, with only BTF; null without BTF.
    std::unique_ptr<Scope> entry_scope(const std::string &function, std::string_view module = "") const;
    // Tracepoints of the kernel itself ("") or a module, sorted by name; none without BTF and DWARF of it. For a
    // module's tracepoints the system is the module, unless it is known.
    const std::vector<Tracepoint> &tracepoints(const std::string &module = "") const;
    // The arguments of one of them, in order; null if its name is unknown.
    std::unique_ptr<Scope> tracepoint_scope(const Tracepoint &tracepoint) const;
    // Sources opened so far: "DWARF of PATH", "BTF of PATH".
    std::vector<std::string> opened() const;
    // As `uname -m` prints it: decides where arguments are.
    const std::string &arch() const { return sources_.arch; }
    // The objects that anything was taken from until now, those without a build-id excepted; the kernel first.
    std::vector<BuiltObject> used() const;
    // Likewise the programs and libraries.
    std::vector<BuiltProgram> used_programs() const;
    // The target of -x or -c.
    const ProgramTarget &target() const;
    const Subject &subject() const;
    // find_programs, program_of_process, find_libraries and find_mapped_libraries, remembered.
    std::vector<std::string> find_programs(const std::string &name) const;
    std::string program_of_process(int64_t pid) const;
    std::vector<std::string> find_libraries(const std::string &name, const DebugObject &program) const;
    std::vector<std::string> find_mapped_libraries(const std::string &name, int64_t pid) const;
    // Where frames of the core's threads stand in a program, as linked.
    std::shared_ptr<const dwarf::FramePlaces> frames(const DebugObject &object) const;
    // Returns the questions so far to target(), frames() and the four look-ups, and modules by their paths, a line
    // each. Results that depend on the answers are outdated if the stamp of the same questions has changed.
    std::string lookups() const;
    std::string lookup_stamp(const std::string &lookups) const;
    // Changes when the debug information of the kernel or of one of its modules may have changed. Opens nothing.
    std::string stamp() const;
    // Advice about missing debug information: the package to install, or the places that were searched: "no debug
    // information for kernel R: install package ... (looked at ...)".
    std::string missing(std::string_view module = "") const;

  private:
    std::string kernel_file() const;
    std::string fetched_kernel_file() const;
    const DebugObject *header_types(const std::string &name) const;
    std::string module_directory() const;
    std::string module_file(const std::string &name) const;
    const std::map<std::string, std::string> &module_paths() const;
    const DebugObject *open(const std::string &module, const std::string &path) const;
    const DebugObject *named_program(std::string_view name) const;
    const DebugObject *program_of_symbols(std::string_view name) const;
    const ProgramTarget &find_target() const;
    std::vector<std::string> look_up(const std::string &lookup) const;
    std::unique_ptr<DebugObject> open_object(const std::string &path, std::string &error) const;

    DebugSources sources_;
    mutable std::map<std::string, std::unique_ptr<DebugObject>> open_;  // null: tried without success
    mutable std::map<std::string, std::unique_ptr<DebugObject>> programs_;
    mutable std::set<std::string> lookups_;
    mutable std::optional<ProgramTarget> target_;
    mutable std::map<std::string, std::vector<std::string>> module_functions_;
    BtfInfo btf_;
    mutable std::map<std::string, std::vector<Tracepoint>> tracepoints_;  // by module
    mutable std::map<std::string, std::string> errors_;
    mutable std::vector<std::string> tried_;
    mutable bool kernel_asked_ = false;
    mutable bool listed_ = false;
    mutable std::map<std::string, std::string> module_paths_;  // name as the kernel has it -> path below lib/modules/R
};

// Returns why a program has no variables and source lines, with advice.
std::string missing_debug_information(const DebugObject &program);
// For a program without debug information: variables by their symbols. Those of 1, 2, 4 or 8 bytes can be read as
// unsigned numbers, others have an address.
std::unique_ptr<Scope> make_program_scope(const DebugObject &object);
// The variables visible at a place that the debug information of `object` describes; `object` must outlive it.
std::unique_ptr<Scope> make_scope(const DebugObject &object, dwarf::CodeSite site);
// For a place whose variables are unknown, with the reason.
std::unique_ptr<Scope> make_scope(const DebugObject &object, std::string why_nothing);
// For no place in particular: global variables and types of the whole object, for @var and @cast.
std::unique_ptr<Scope> make_scope(const DebugObject &object);
// A scope by the BTF of `module` ("" is the kernel): types, and, unless `function` is empty, that function's result and
// its parameters where they are when it has just been called. All of it is looked up when first asked for; `debug` and
// `object` must outlive the result.
std::unique_ptr<Scope> make_scope(const DebugInfo &debug, const BtfObject &object, std::string module,
                                  std::string function = {});

}  // namespace tapir::target
