// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/remains.h"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>

#include "common/build_id.h"
#include "common/regular_file.h"
#include "core/copied_code.h"
#include "core/file_below.h"
#include "core/piecewise.h"
#include "unwind/elf_file.h"

namespace tapir::core {

namespace {

constexpr uint64_t kPage = 4096;

template <class Range>
const Range *covering(const std::vector<Range> &ranges, uint64_t address) {
    auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                  [](uint64_t at, const Range &range) { return at < range.start; });
    if (after == ranges.begin()) return nullptr;
    --after;
    return address < after->end ? &*after : nullptr;
}

std::string build_id_of_image(std::string_view content) {
    Elf64_Ehdr header;
    if (content.size() < sizeof header || std::memcmp(content.data(), ELFMAG, SELFMAG) != 0) return {};
    std::memcpy(&header, content.data(), sizeof header);
    if (content[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return {};
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        const uint64_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        if (header.e_phoff > content.size() || at > content.size() || content.size() - at < sizeof(Elf64_Phdr)) break;
        Elf64_Phdr part;
        std::memcpy(&part, content.data() + at, sizeof part);
        if (part.p_type != PT_NOTE || part.p_offset > content.size() || part.p_filesz > content.size() - part.p_offset)
            continue;
        std::string id = build_id_of_notes(content.substr(part.p_offset, part.p_filesz));
        if (!id.empty()) return id;
    }
    return {};
}

// Returns the object number of a file as kept stacks use it. The vDSO comes after the last file.
uint32_t object_number(uint64_t file) {
    return file < TAPIR_FRAME_OBJECTS ? static_cast<uint32_t>(file) : TAPIR_UNWIND_NO_NUMBER;
}

// The prefix here of the paths of a process with this directory in /proc: "" when it sees the same files.
std::string root_of(const std::string &process) {
    const std::string root = process + "/root";
    struct stat one = {}, other = {};
    const auto same = [&](const std::string &a, const char *b) {
        return stat(a.c_str(), &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
               one.st_ino == other.st_ino;
    };
    return same(process + "/ns/mnt", "/proc/self/ns/mnt") && same(root + "/", "/") ? "" : root;
}

std::string how_to_name(bool program) {
    return std::string("--sysroot=DIR names a directory with the process's files") +
           (program ? ", --exec=FILE its program" : "");
}

}  // namespace

// A file that was mapped, as it is here.
struct Remains::File {
    std::string path;
    std::string_view content;
    std::string build_id;
    std::optional<Fault> fault;
    std::unique_ptr<unwind::Table> table;
    bool table_tried = false;
    std::optional<tapir_file_interpreter> interpreter;

    ~File() {
        if (!content.empty()) munmap(const_cast<char *>(content.data()), content.size());
    }
};

Remains::Remains(CoreFile core, std::unique_ptr<LiveProcess> live, RemainsOptions options)
    : core_(std::move(core)),
      live_(std::move(live)),
      options_(std::move(options)),
      segments_(live_ ? live_->segments() : core_.segments()),
      notes_(live_ ? live_->notes() : read_notes(core_.notes())) {
    files_.resize(notes_.files.size());
    memory_ids_.resize(notes_.files.size());
    beginnings_.resize(notes_.files.size());
    find_beginnings();
    adopt_copies();
}

Remains::~Remains() = default;

void Remains::find_beginnings() {
    std::fill(beginnings_.begin(), beginnings_.end(), nullptr);
    for (const Mapping &mapping : notes_.mappings)
        if (mapping.place == 0 && !beginnings_[mapping.file]) beginnings_[mapping.file] = &mapping;
}

Outcome<std::unique_ptr<Remains>> Remains::open(const std::string &path, RemainsOptions options) {
    Outcome<CoreFile> core = CoreFile::open(path);
    if (!core) return core.fault();
    Outcome<std::unique_ptr<Remains>> process = of(std::move(*core), std::move(options));
    if (!process) return Fault{process.fault().tag, path + " " + process.fault().text, process.fault().hint};
    return process;
}

Outcome<std::unique_ptr<Remains>> Remains::of(CoreFile core, RemainsOptions options) {
    std::unique_ptr<Remains> process(new Remains(std::move(core), nullptr, std::move(options)));
    if (process->notes_.threads.empty())
        return Fault{FaultTag::CoreEmpty, "tells of no thread of a process",
                     process->core_.missing_bytes() ? "the file is cut off" : "it may be the dump of a kernel"};
    if (const uint64_t missing = process->core_.missing_bytes())
        process->warn("the core file is cut off: " + std::to_string(missing) +
                      " bytes of the process's memory are not there");
    return process;
}

Outcome<std::unique_ptr<Remains>> Remains::of_process(int64_t pid, LiveMode mode, RemainsOptions options) {
    Outcome<std::unique_ptr<LiveProcess>> live = LiveProcess::open(pid, mode, options.held);
    if (!live) return live.fault();
    options.sysroot = root_of((*live)->directory());
    std::unique_ptr<Remains> process(new Remains(CoreFile(), std::move(*live), std::move(options)));
    const auto tell = [&](const std::vector<int64_t> &threads, const char *text) {
        if (!threads.empty()) process->warn(text + list_of_threads(threads));
    };
    tell(process->live_->running(), "not known where these threads stand, which were running: ");
    tell(process->live_->unstoppable(), "these threads wait in the kernel and did not stop: ");
    return process;
}

void Remains::warn(const std::string &text) const {
    if (options_.warn) options_.warn(text);
}

// ---- memory

const Segment *Remains::segment_of(uint64_t address) const {
    if (last_segment_ && address - last_segment_->start < last_segment_->end - last_segment_->start)
        return last_segment_;
    const Segment *found = covering(segments_, address);
    if (found) last_segment_ = found;
    return found;
}

const Segment *Remains::writable_from(uint64_t address) const {
    auto segment = std::upper_bound(segments_.begin(), segments_.end(), address,
                                    [](uint64_t at, const Segment &range) { return at < range.end; });
    while (segment != segments_.end() && (!segment->writable || (!live_ && segment->content.empty())))
        ++segment;
    return segment == segments_.end() ? nullptr : &*segment;
}

const Mapping *Remains::mapping_of(uint64_t address) const {
    return covering(notes_.mappings, address);
}

// The first bytes of a range, from one place: how many; 0: they are not known.
uint32_t Remains::read_some(char *to, uint64_t address, uint32_t length) {
    if (live_) {
        LiveMemory &memory = live_->memory();
        const uint32_t part = memory.read_some(to, address, length);
        if (memory.has_lost() && !told_of_lost_) {
            told_of_lost_ = true;
            warn(
                "more than 1 GB of the memory of a process that runs was read: what is read once more may have "
                "changed");
        }
        return part;
    }
    const Segment *segment = segment_of(address);
    if (segment && address - segment->start < segment->content.size()) {
        const uint64_t at = address - segment->start;
        const auto part = static_cast<uint32_t>(std::min<uint64_t>(length, segment->content.size() - at));
        std::memcpy(to, segment->content.data() + at, part);
        return part;
    }
    if (segment && address - segment->start < segment->dumped) return 0;  // cut off
    // Cores leave out unchanged pages of files; reads those from the file.
    const Mapping *mapping = mapping_of(address);
    if (!mapping) return 0;
    const File &file = use(mapping->file);
    const uint64_t at = address - mapping->start + mapping->place;
    if (at < mapping->place || at >= file.content.size()) return 0;
    uint64_t part = std::min<uint64_t>({length, mapping->end - address, file.content.size() - at});
    // ... up to where the core has something again.
    if (segment) part = std::min(part, segment->end - address);
    std::memcpy(to, file.content.data() + at, part);
    return static_cast<uint32_t>(part);
}

bool Remains::read(void *dst, uint64_t address, uint32_t length) {
    const Segment *segment = segment_of(address);
    if (segment && segment->content.size() >= length && address - segment->start <= segment->content.size() - length) {
        std::memcpy(dst, segment->content.data() + (address - segment->start), length);
        return true;
    }
    const auto some = [this](char *to, uint64_t from, uint32_t most) { return read_some(to, from, most); };
    return read_pieces(some, dst, address, length);
}

int Remains::read_string(char *dst, uint64_t address, uint32_t cap) {
    const auto some = [this](char *to, uint64_t from, uint32_t most) { return read_some(to, from, most); };
    return read_string_pieces(some, dst, address, cap, 64);
}

// ---- files

std::optional<uint32_t> Remains::program() const {
    for (uint64_t key : {AT_PHDR, AT_ENTRY}) {
        const auto value = notes_.auxiliary.find(key);
        const Mapping *mapping = value == notes_.auxiliary.end() ? nullptr : mapping_of(value->second);
        if (mapping) return mapping->file;
    }
    return std::nullopt;
}

// The beginning of a file as memory has it: by default the kernel dumps the page with the ELF header.
std::string Remains::first_page(uint32_t number) {
    const Mapping *mapping = beginnings_[number];
    if (mapping && live_) {
        std::string page(kPage, 0);
        page.resize(live_->memory().read_some(page.data(), mapping->start, kPage));
        return page;
    }
    const Segment *segment = mapping ? segment_of(mapping->start) : nullptr;
    if (!segment || mapping->start - segment->start >= segment->content.size()) return {};
    return std::string(segment->content.substr(mapping->start - segment->start, kPage));
}

const std::string &Remains::build_id_in_memory(uint32_t file) {
    std::optional<std::string> &id = memory_ids_[file];
    if (!id) id = build_id_of_image(first_page(file));
    return *id;
}

// Without build-ids, compares the file's beginning with the core's copy; nothing if the core has no copy.
std::optional<bool> Remains::is_same(uint32_t number, const File &file) {
    const std::string page = first_page(number);
    if (page.empty()) return std::nullopt;
    const std::string &id = build_id_in_memory(number);
    if (!id.empty() || !file.build_id.empty()) return id == file.build_id;
    return file.content.substr(0, page.size()) == page.substr(0, file.content.size());
}

// A file of a process that lives: by its name as the process sees it, or, where that is gone, by the kernel's links to
// it. Those to other files than the program need CAP_CHECKPOINT_RESTORE.
Descriptor Remains::open_live(uint32_t number, std::string &path) const {
    const auto is_of = [number](const Mapping &mapping) { return mapping.file == number; };
    const auto mapping = std::find_if(notes_.mappings.begin(), notes_.mappings.end(), is_of);
    path = options_.sysroot + notes_.files[number];
    if (mapping == notes_.mappings.end() || !mapping->deleted)
        return open_below(options_.sysroot, notes_.files[number]);
    char range[64];
    std::snprintf(range, sizeof range, "%llx-%llx", static_cast<unsigned long long>(mapping->start),
                  static_cast<unsigned long long>(mapping->end));
    const std::string process = live_->directory();
    path = program() == number ? process + "/exe" : process + "/map_files/" + range;
    return Descriptor(open_regular(path.c_str()));
}

void Remains::open_file(uint32_t number, File &file) {
    const std::string &name = notes_.files[number];
    const bool given = !options_.program.empty() && program() == number;
    file.path = given ? options_.program : options_.sysroot + name;
    const Descriptor open = given   ? Descriptor(open_regular(options_.program.c_str()))
                            : live_ ? open_live(number, file.path)
                                    : open_below(options_.sysroot, name);
    const std::string &id = build_id_in_memory(number);
    const std::string which = id.empty() ? "" : " (build-id " + id + ")";
    struct stat status = {};
    if (open.get() < 0 || fstat(open.get(), &status) != 0) {
        file.fault = Fault{
            FaultTag::MappedMissing,
            "the process had mapped " + name + which + ", and " + file.path + " cannot be opened: " + file_error(errno),
            live_ ? "root may open it" : how_to_name(program() == number)};
        return;
    }
    // Names of a live process are valid in its own view of the files.
    if (!live_) file.path = path_of_descriptor(open.get(), file.path);
    if (status.st_size > 0) {
        void *memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, open.get(), 0);
        if (memory != MAP_FAILED)
            file.content = {static_cast<const char *>(memory), static_cast<size_t>(status.st_size)};
    }
    file.build_id = build_id_of_image(file.content);
    const std::optional<bool> same = is_same(number, file);
    // A file that the user named is used without further proof.
    if (same.value_or(given || live_ || !options_.sysroot.empty())) return;
    const std::string other = same ? " is another build" + (file.build_id.empty() ? "" : " (" + file.build_id + ")") +
                                         " than the process's" + (id.empty() ? "" : " (" + id + ")")
                                   : " may have changed since: the core has nothing of it to compare it by";
    file.fault = Fault{FaultTag::MappedOther, file.path + other + "; it is not used",
                       live_  ? ""
                       : same ? how_to_name(program() == number)
                              : how_to_name(program() == number) + "; --sysroot=/ takes the files that are here"};
    if (!file.content.empty()) munmap(const_cast<char *>(file.content.data()), file.content.size());
    file.content = {};
}

Remains::File &Remains::use(uint32_t number) {
    std::unique_ptr<File> &file = files_[number];
    if (!file) {
        file = std::make_unique<File>();
        // Mappings of devices and of shared memory have names, too, and no content.
        open_file(number, *file);
        if (file->fault) warn(file->fault->message());
    }
    return *file;
}

Outcome<std::string> Remains::local_path(uint32_t number) {
    std::unique_ptr<File> &file = files_[number];
    if (!file) {
        file = std::make_unique<File>();
        open_file(number, *file);
    }
    if (file->fault) return *file->fault;
    return file->path;
}

bool Remains::is_file(uint32_t number, std::string_view build_id, std::string_view path) {
    const std::string &id = build_id_in_memory(number);
    if (!build_id.empty() && !id.empty()) return id == build_id;
    return options_.sysroot + notes_.files[number] == path || use(number).path == path;
}

std::optional<uint64_t> Remains::bias_of(std::string_view build_id, std::string_view path, uint64_t text_offset,
                                         uint64_t text_bias) {
    const uint64_t page = text_offset & ~(kPage - 1);
    for (const Mapping &mapping : notes_.mappings) {
        if (mapping.place > page || page - mapping.place >= mapping.end - mapping.start) continue;
        // One page of a file can be in a mapping of code and in one of data. GDB leaves out those of code.
        const Segment *segment = segment_of(mapping.start);
        if (segment && !segment->executable) continue;
        if (is_file(mapping.file, build_id, path)) return mapping.start - mapping.place - text_bias;
    }
    return std::nullopt;
}

// ---- interpreters

const tapir_file_interpreter &Remains::which_interpreter(uint32_t number) {
    File &file = use(number);
    if (!file.interpreter) {
        unwind::MemoryImage image(file.content);
        file.interpreter = unwind::interpreter_of(image, options_.interpreters);
    }
    return *file.interpreter;
}

// Segments of code may be missing: GDB leaves them out.
bool Remains::may_have_code(uint32_t file) const {
    return std::any_of(notes_.mappings.begin(), notes_.mappings.end(), [&](const Mapping &mapping) {
        const Segment *segment = mapping.file == file ? segment_of(mapping.start) : nullptr;
        return mapping.file == file && (!segment || segment->executable);
    });
}

std::optional<Remains::FoundInterpreter> Remains::interpreter(uint32_t number) {
    for (const Mapping &mapping : notes_.mappings) {
        if (mapping.place || !may_have_code(mapping.file) || which_interpreter(mapping.file).number != number) continue;
        FoundInterpreter found{object_number(mapping.file), which_interpreter(mapping.file)};
        for (u64 &variable : found.file.variables)
            if (variable) variable += mapping.start - found.file.lead;
        return found;
    }
    return std::nullopt;
}

uint32_t Remains::interpreter_of_object(uint32_t object) {
    return object < files_.size() ? which_interpreter(object).number : 0;
}

std::string Remains::path_of_object(uint32_t object) const {
    return object < notes_.files.size() ? notes_.files[object] : std::string();
}

// ---- code that the process has copied

// True if the process has the file's content at these addresses. Looks at the first page and at others to the end.
bool Remains::is_copy(uint32_t number, const Mapping &copy) {
    constexpr unsigned kLooks = 16;
    const std::string_view content = use(number).content;
    // The last page may be one that the file's code fills in part.
    const uint64_t pages = std::max<uint64_t>((copy.end - copy.start) / kPage, 2) - 1;
    char page[kPage];
    unsigned equal = 0;
    for (unsigned look = 0; look < kLooks && look < pages; ++look) {
        const uint64_t at = std::min<uint64_t>(pages - 1, look * pages / (kLooks - 1)) * kPage;
        // Pages that the core lacks prove nothing.
        if (copy.place + at > content.size() || content.size() - copy.place - at < kPage ||
            !read(page, copy.start + at, kPage))
            continue;
        if (std::memcmp(page, content.data() + copy.place + at, kPage) != 0) return false;
        ++equal;
    }
    return equal > 0;
}

// The beginning of a file that is in the code itself, and was copied with it: its data are further up.
std::optional<uint32_t> Remains::file_above(const Segment &code) {
    std::string head(kPage, 0);
    if (!read(head.data(), code.start, kPage) || code_ranges(head, code.start).empty()) return std::nullopt;
    const auto above = std::lower_bound(notes_.mappings.begin(), notes_.mappings.end(), code.end,
                                        [](const Mapping &range, uint64_t at) { return range.start < at; });
    return above == notes_.mappings.end() ? std::nullopt : std::optional<uint32_t>(above->file);
}

void Remains::adopt_copies() {
    std::erase_if(notes_.mappings,
                  [this](const Mapping &mapping) { return names_no_file(notes_.files[mapping.file]); });
    find_beginnings();
    struct Code {
        uint32_t file;
        CodeRange range;
    };
    std::optional<std::vector<Code>> codes;
    std::vector<Mapping> copies;
    std::deque<Mapping> heads;  // in the code
    const auto add = [](std::vector<Code> &to, uint32_t file, std::string_view head, uint64_t address) {
        for (const CodeRange &range : code_ranges(head, address))
            to.push_back({file, range});
    };
    for (const Segment &segment : segments_) {
        if (!segment.executable || mapping_of(segment.start)) continue;
        if (!codes) {
            codes.emplace();
            for (uint32_t file = 0; file < beginnings_.size(); ++file)
                if (beginnings_[file]) add(*codes, file, first_page(file), beginnings_[file]->start);
        }
        std::vector<Code> candidates = *codes;
        const std::optional<uint32_t> above = file_above(segment);
        if (above && !beginnings_[*above]) {
            beginnings_[*above] = &heads.emplace_back(Mapping{segment.start, segment.end, 0, *above, false});
            memory_ids_[*above].reset();
            files_[*above].reset();
            add(candidates, *above, first_page(*above), segment.start);
        }
        for (const auto &[file, range] : candidates) {
            const uint64_t start = std::max(segment.start, range.start & ~(kPage - 1));
            const uint64_t end = std::min(segment.end, (range.end + kPage - 1) & ~(kPage - 1));
            if (start >= end) continue;
            const Mapping copy = {start, end, start - range.start + range.place, file, false};
            if (!is_copy(file, copy)) continue;
            copies.push_back(copy);
            break;
        }
    }
    find_beginnings();
    if (copies.empty()) return;
    notes_.mappings.insert(notes_.mappings.end(), copies.begin(), copies.end());
    std::sort(notes_.mappings.begin(), notes_.mappings.end(),
              [](const Mapping &a, const Mapping &b) { return a.start < b.start; });
    find_beginnings();
    std::fill(memory_ids_.begin(), memory_ids_.end(), std::nullopt);
}

const tapir_unwind_table *Remains::vdso_table(uint64_t address, tapir_unwind_mapping &mapping) {
    const auto start = notes_.auxiliary.find(AT_SYSINFO_EHDR);
    const Segment *segment = segment_of(address);
    if (start == notes_.auxiliary.end() || !segment || segment->start != start->second) return nullptr;
    if (!vdso_tried_) {
        vdso_tried_ = true;
        unwind::MemoryImage image(segment->content);
        unwind::TableOptions options;
        options.path = "[vdso]";
        unwind::TableFacts facts;
        auto table = std::make_unique<unwind::Table>();
        if (unwind::make_table(image, options, *table, facts).empty()) vdso_ = std::move(table);
    }
    if (!vdso_) return nullptr;
    mapping = {segment->start, segment->end - segment->start, 0, &vdso_->header(), object_number(files_.size()), 0};
    return mapping.table;
}

const tapir_unwind_table *Remains::table_of_object(uint32_t number) const {
    const unwind::Table *table = number == files_.size()                    ? vdso_.get()
                                 : number < files_.size() && files_[number] ? files_[number]->table.get()
                                                                            : nullptr;
    return table ? &table->header() : nullptr;
}

// .bss is an anonymous mapping that follows the file's data.
const tapir_unwind_table *Remains::table_before(uint64_t address, tapir_unwind_mapping &mapping, uint8_t &end) {
    const auto after = std::upper_bound(notes_.mappings.begin(), notes_.mappings.end(), address,
                                        [](uint64_t at, const Mapping &range) { return at < range.start; });
    if (after == notes_.mappings.begin()) return nullptr;
    const Mapping &before = *std::prev(after);
    tapir_unwind_mapping data = {};
    uint8_t why = 0;
    const Segment *segment = segment_of(address);
    if (!segment || segment->executable || !table_of(before.end - 1, data, why)) return nullptr;
    const uint64_t place = before.end - before.start + before.place;
    if (place >= data.table->end || address - before.end >= data.table->end - place) return nullptr;
    end = TAPIR_UNWIND_MORE;
    mapping = {before.end, data.table->end - place, place, data.table, data.object, 1};
    return mapping.table;
}

const tapir_unwind_table *Remains::table_of(uint64_t address, tapir_unwind_mapping &mapping, uint8_t &end) {
    const Mapping *mapped = mapping_of(address);
    end = TAPIR_UNWIND_NO_OBJECT;
    if (!mapped) {
        if (const tapir_unwind_table *table = vdso_table(address, mapping)) return table;
        if (const tapir_unwind_table *table = table_before(address, mapping, end)) return table;
        const Segment *segment = segment_of(address);
        end = segment && segment->executable ? TAPIR_UNWIND_NO_OBJECT : TAPIR_UNWIND_NO_CODE;
        return nullptr;
    }
    File &file = use(mapped->file);
    end = TAPIR_UNWIND_NO_TABLE;
    if (!file.table_tried && !file.content.empty()) {
        file.table_tried = true;
        unwind::MemoryImage image(file.content);
        unwind::TableOptions options;
        options.path = notes_.files[mapped->file];
        options.symbols = options_.symbols;
        options.lines = options_.lines;
        options.mangled = options_.mangled;
        unwind::TableFacts facts;
        auto table = std::make_unique<unwind::Table>();
        if (unwind::make_table(image, options, *table, facts).empty()) file.table = std::move(table);
    }
    if (!file.table) return nullptr;
    mapping = {mapped->start,         mapped->end - mapped->start, mapped->place,
               &file.table->header(), object_number(mapped->file), 0};
    if (const Segment *segment = segment_of(address)) mapping.no_code = !segment->executable;
    return mapping.table;
}

}  // namespace tapir::core
