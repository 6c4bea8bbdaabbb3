// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/program_files.h"

#include <gelf.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/name_patterns.h"
#include "common/files.h"
#include "target/elf_sections.h"
#include "target/process_root.h"
#include "target/running_files.h"

namespace tapir::target {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

void add(std::vector<std::string> &files, const std::string &root, const std::string &path) {
    std::string found = canonical_file(root, path);
    if (!found.empty()) files.push_back(std::move(found));
}

void add_pattern(std::vector<std::string> &files, const std::string &root, const std::string &pattern) {
    glob_t found = {};
    if (glob((root + pattern).c_str(), GLOB_BRACE, nullptr, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; ++i)
            add(files, root, found.gl_pathv[i] + root.size());
    globfree(&found);
}

void sort_once(std::vector<std::string> &files) {
    std::sort(files.begin(), files.end());
    files.erase(std::unique(files.begin(), files.end()), files.end());
}

std::vector<std::string_view> split(std::string_view list, char separator) {
    std::vector<std::string_view> parts;
    for (size_t at = 0; at <= list.size();) {
        const size_t end = std::min(list.find(separator, at), list.size());
        if (end > at) parts.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

// Calls visit(value, link) for each entry of .dynamic with this tag; `link` is the section of its strings.
template <class Visit>
void for_each_dynamic(Elf *elf, GElf_Sxword tag, Visit visit) {
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &header) {
        if (header.sh_type != SHT_DYNAMIC || !header.sh_entsize) return;
        Elf_Data *data = elf_getdata(section, nullptr);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize; ++i) {
            GElf_Dyn entry;
            if (!gelf_getdyn(data, static_cast<int>(i), &entry) || entry.d_tag == DT_NULL) break;
            if (entry.d_tag == tag) visit(entry.d_un.d_val, header.sh_link);
        }
    });
}

// Entries of .dynamic that hold offsets into its strings.
std::vector<std::string> dynamic_strings(const dwarf::Object &object, GElf_Sxword tag) {
    std::vector<std::string> values;
    Elf *elf = elf_of(object);
    for_each_dynamic(elf, tag, [&](GElf_Xword offset, GElf_Word strings) {
        const char *text = elf_strptr(elf, strings, offset);
        if (text) values.emplace_back(text);
    });
    return values;
}

// Can a process run it, being of no fixed address: does it name a dynamic linker, or say that it is a program?
bool is_movable_program(Elf *elf) {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) count = 0;
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_INTERP) return true;
    }
    bool is_program = false;
    for_each_dynamic(elf, DT_FLAGS_1, [&](GElf_Xword flags, GElf_Word) { is_program |= (flags & DF_1_PIE) != 0; });
    return is_program;
}

// Do the symbols of a file include one that is wanted?
template <class Wanted>
bool has_symbol(Elf *elf, const Wanted &wanted) {
    bool found = false;
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &table) {
        if ((table.sh_type != SHT_SYMTAB && table.sh_type != SHT_DYNSYM) || !table.sh_entsize) return;
        Elf_Data *data = elf_getdata(section, nullptr);
        for (size_t i = 0; data && !found && i < table.sh_size / table.sh_entsize; ++i) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, static_cast<int>(i), &symbol)) break;
            const char *name = elf_strptr(elf, table.sh_link, symbol.st_name);
            found = name && wanted(std::string_view(name), symbol);
        }
    });
    return found;
}

// Directories of ld.so.conf, and of the files that it includes.
void configured_directories(const std::string &root, const std::string &file, std::vector<std::string> &directories,
                            int depth) {
    const std::string text = read_file(root + file).value_or("");
    for (std::string_view line : split(text, '\n')) {
        line = line.substr(0, line.find('#'));
        while (!line.empty() && (line.back() == ' ' || line.back() == '\t'))
            line.remove_suffix(1);
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t'))
            line.remove_prefix(1);
        if (line.starts_with("include ") && depth < 3) {
            glob_t found = {};
            if (glob((root + std::string(line.substr(8))).c_str(), 0, nullptr, &found) == 0)
                for (size_t i = 0; i < found.gl_pathc; ++i)
                    configured_directories(root, found.gl_pathv[i] + root.size(), directories, depth + 1);
            globfree(&found);
        } else if (line.starts_with('/')) {
            directories.emplace_back(line);
        }
    }
}

std::string replace_origin(std::string directory, const std::string &origin) {
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"})
        for (size_t at; (at = directory.find(name)) != std::string::npos;)
            directory.replace(at, name.size(), origin);
    return directory;
}

void add_linker_directories(const std::string &root, std::vector<std::string> &directories) {
    configured_directories(root, "/etc/ld.so.conf", directories, 0);
    for (const char *directory : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"})
        directories.emplace_back(directory);
}

// A program as its process sees it.
struct Seen {
    std::string root, path;
};

Seen seen(const dwarf::Object &program) {
    const std::string &path = program.path();
    const std::string former = former_path(path), root = former == path ? root_of_path(path) : root_of_link(path);
    return {root, former == path ? path.substr(root.size()) : former};
}

// Those of LD_LIBRARY_PATH. The command of -c gets stap's environment.
std::vector<std::string> environment_directories() {
    const char *list = std::getenv("LD_LIBRARY_PATH");
    if (!list || !*list) return {};
    std::string text = list;
    std::replace(text.begin(), text.end(), ';', ':');
    std::vector<std::string> directories;
    std::error_code error;
    for (std::string_view directory : split(text, ':'))
        directories.push_back(directory.starts_with('$') ? std::string(directory)
                                                         : fs::absolute(directory, error).string());
    return directories;
}

// Where the dynamic linker looks (ld.so(8)), the hardware's subdirectories excepted; below the root.
std::vector<std::string> library_directories(const dwarf::Object &program) {
    std::vector<std::string> directories;
    const Seen at = seen(program);
    const std::string origin = fs::path(at.path).parent_path().string();
    const auto add = [&](std::string_view directory) {
        directories.push_back(replace_origin(std::string(directory), origin));
    };
    const auto add_tagged = [&](GElf_Sxword tag) {
        for (const std::string &list : dynamic_strings(program, tag))
            for (std::string_view directory : split(list, ':'))
                add(directory);
    };
    if (dynamic_strings(program, DT_RUNPATH).empty()) add_tagged(DT_RPATH);
    if (at.root.empty())
        for (const std::string &directory : environment_directories())
            add(directory);
    add_tagged(DT_RUNPATH);
    add_linker_directories(at.root, directories);
    return directories;
}

// Calls visit(name, path) for each library that a program is linked with, directly or not, and that is found. The path
// is the one that the dynamic linker has, below the root.
template <class Visit>
void for_each_needed(const dwarf::Object &program, Visit visit) {
    const std::string root = seen(program).root;
    const std::vector<std::string> directories = library_directories(program);
    std::vector<std::string> wanted = dynamic_strings(program, DT_NEEDED), done;
    for (size_t i = 0; i < wanted.size(); ++i) {
        const std::string needed = wanted[i];
        if (std::find(done.begin(), done.end(), needed) != done.end()) continue;
        done.push_back(needed);
        std::string path, file;
        for (const std::string &directory : directories) {
            path = directory + "/" + needed;
            file = canonical_file(root, path);
            if (!file.empty()) break;
        }
        if (file.empty()) continue;
        visit(needed, path);
        std::string error;
        if (const auto library = dwarf::Object::open(file, error))
            for (std::string &next : dynamic_strings(*library, DT_NEEDED))
                wanted.push_back(std::move(next));
    }
}

// The dynamic linker that a program names; "" if it names none.
std::string interpreter_of(Elf *elf) {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return {};
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_INTERP) continue;
        const Elf_Data *data =
            elf_getdata_rawchunk(elf, static_cast<int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
        if (data)
            return std::string(static_cast<const char *>(data->d_buf),
                               strnlen(static_cast<const char *>(data->d_buf), data->d_size));
    }
    return {};
}

// Names of the files in the directories, each once, sorted.
std::vector<std::string> files_in(const std::vector<std::string> &directories, const std::string &root) {
    std::vector<std::string> names;
    for (const std::string &directory : directories) {
        std::error_code error;
        for (fs::directory_iterator at(root + directory, error), end; !error && at != end; at.increment(error))
            if (is_file(at->path().string())) names.push_back(at->path().filename().string());
    }
    sort_once(names);
    return names;
}

std::vector<std::string> path_directories() {
    const char *path = std::getenv("PATH");
    const std::vector<std::string_view> parts = split(path && *path ? path : kDefaultPath, ':');
    return {parts.begin(), parts.end()};
}

}  // namespace

std::optional<ProgramLayout> ProgramLayout::read(const dwarf::Object &object, std::string &error) {
    ProgramLayout layout;
    Elf *elf = elf_of(object);
    size_t count = 0;
    if (!elf || elf_getphdrnum(elf, &count) != 0) count = 0;
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_LOAD) continue;
        layout.segments_.push_back(
            {header.p_offset, header.p_vaddr, header.p_filesz, header.p_memsz, (header.p_flags & PF_X) != 0});
    }
    GElf_Ehdr header;
    if (elf && gelf_getehdr(elf, &header)) {
        layout.is_fixed_ = header.e_type == ET_EXEC;
        if (header.e_entry && (layout.is_fixed_ || is_movable_program(elf))) layout.start_ = header.e_entry;
    }
    struct stat status = {};
    const auto code = std::find_if(layout.segments_.begin(), layout.segments_.end(),
                                   [](const Segment &segment) { return segment.code; });
    if (code == layout.segments_.end() || stat(object.path().c_str(), &status) != 0) {
        error = object.path() + ": not a program or shared library";
        return std::nullopt;
    }
    layout.built_ = {object.path(), object.build_id(), static_cast<uint64_t>(status.st_size),
                     code->address - code->offset, code->offset};
    return layout;
}

std::optional<uint64_t> ProgramLayout::find(uint64_t linked_address, bool code_only) const {
    for (const Segment &segment : segments_)
        if ((segment.code || !code_only) && linked_address >= segment.address &&
            linked_address - segment.address < segment.bytes)
            return linked_address - segment.address + segment.offset;
    return std::nullopt;
}

std::optional<uint64_t> ProgramLayout::code_offset(uint64_t linked_address) const {
    return find(linked_address, true);
}

std::optional<uint64_t> ProgramLayout::offset(uint64_t linked_address) const {
    return find(linked_address, false);
}

std::optional<uint64_t> ProgramLayout::code_address(uint64_t offset) const {
    for (const Segment &segment : segments_)
        if (segment.code && offset >= segment.offset && offset - segment.offset < segment.bytes)
            return offset - segment.offset + segment.address;
    return std::nullopt;
}

bool ProgramLayout::has_memory(uint64_t linked_address, uint64_t bytes) const {
    return std::any_of(segments_.begin(), segments_.end(), [&](const Segment &segment) {
        return linked_address >= segment.address && linked_address - segment.address < segment.memory &&
               bytes <= segment.memory - (linked_address - segment.address);
    });
}

bool unwinds_for_exceptions(const dwarf::Object &object) {
    return has_symbol(elf_of(object), [](std::string_view name, const GElf_Sym &) {
        return name == "__gxx_personality_v0" || name == "rust_eh_personality";
    });
}

bool switches_stacks(const dwarf::Object &object) {
    return has_symbol(elf_of(object), [](std::string_view name, const GElf_Sym &symbol) {
        name = name.substr(0, name.find('@'));
        // The C library itself does not.
        return name == "make_fcontext" || (name == "makecontext" && symbol.st_shndx == SHN_UNDEF);
    });
}

std::vector<std::string> find_programs(std::string_view name, const std::string &root) {
    std::vector<std::string> files;
    const std::string text(name), above = text.starts_with('/') ? root : "";
    // A file may have a name that else is a pattern.
    if (name.find('/') != std::string_view::npos) add(files, above, text);
    if (!files.empty()) return files;
    if (has_wildcard(name) || name.find('{') != std::string_view::npos) {
        add_pattern(files, above, text);
        // Where libraries of several architectures are installed side by side, as Debian does it.
        for (const std::string_view all : {"/lib*/", "/usr/lib*/"})
            if (name.starts_with(all))
                add_pattern(files, above, std::string(all) + "*-linux-gnu*/" + text.substr(all.size()));
    } else if (name.find('/') == std::string_view::npos) {
        for (const std::string &directory : path_directories()) {
            const std::string candidate = directory + "/" + text;
            if (access((root + candidate).c_str(), X_OK) == 0) add(files, root, candidate);
            if (!files.empty()) break;
        }
        if (files.empty() && is_build_id(name)) files = files_of_build_id(name, root);
    }
    sort_once(files);
    return files;
}

std::vector<std::string> similar_programs(std::string_view name, const std::string &root) {
    const size_t slash = name.rfind('/');
    if (slash == std::string_view::npos) return similar_names(name, files_in(path_directories(), root));
    const std::string directory(name.substr(0, slash + 1)), above = name.starts_with('/') ? root : "";
    std::vector<std::string> similar = similar_names(name.substr(slash + 1), files_in({directory}, above));
    for (std::string &file : similar)
        file.insert(0, directory);
    return similar;
}

std::vector<std::string> installed_directories(const std::string &root) {
    std::vector<std::string> directories = path_directories();
    add_linker_directories(root, directories);
    sort_once(directories);
    return directories;
}

std::vector<std::string> find_libraries(std::string_view name, const dwarf::Object &program) {
    const std::string root = seen(program).root;
    std::vector<std::string> files;
    if (name.find('/') != std::string_view::npos || is_build_id(name)) return find_programs(name, root);
    if (!has_wildcard(name)) {
        for (const std::string &directory : library_directories(program)) {
            add(files, root, directory + "/" + std::string(name));
            if (!files.empty()) break;
        }
        return files;
    }
    // A pattern stands for the libraries that the program is linked with, directly or not.
    for_each_needed(program, [&](const std::string &needed, const std::string &path) {
        if (glob_match(name, needed)) add(files, root, path);
    });
    sort_once(files);
    return files;
}

std::vector<std::string> needed_libraries(const dwarf::Object &program) {
    const std::string root = seen(program).root, linker = interpreter_of(elf_of(program));
    std::vector<std::string> files;
    const auto take = [&](const std::string &path) {
        files.push_back(canonical_file(root, path).starts_with(root + "/") ? root + path : path);
    };
    for_each_needed(program, [&](const std::string &needed, const std::string &path) {
        if (linker.empty() || fs::path(linker).filename() != needed) take(path);
    });
    if (!linker.empty() && !canonical_file(root, linker).empty()) take(linker);
    sort_once(files);
    return files;
}

std::vector<std::string> find_mapped_libraries(std::string_view name, int64_t pid) {
    const std::string program = program_of_process(pid);
    std::vector<std::string> files = mapped_files(pid, name);
    std::erase(files, program);
    if (!files.empty() || has_wildcard(name) || name.find('/') != std::string_view::npos) return files;
    for (const std::string &file : mapped_files(pid, "*")) {
        std::string error;
        const auto library = dwarf::Object::open(file, error);
        const std::vector<std::string> names =
            library ? dynamic_strings(*library, DT_SONAME) : std::vector<std::string>{};
        if (std::find(names.begin(), names.end(), name) != names.end()) files.push_back(file);
    }
    return files;
}

std::vector<std::string> similar_libraries(std::string_view name, const dwarf::Object &program) {
    const std::string root = seen(program).root;
    if (name.find('/') != std::string_view::npos) return similar_programs(name, root);
    return similar_names(name, files_in(library_directories(program), root));
}

}  // namespace tapir::target
