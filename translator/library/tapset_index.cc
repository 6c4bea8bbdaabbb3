// SPDX-License-Identifier: GPL-2.0-or-later
#include "library/tapset_index.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "common/files.h"
#include "common/regular_file.h"

namespace tapir::library {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kHeader = "tapir tapset index 2";
constexpr std::string_view kPrograms = "/PATH";
constexpr std::array<std::string_view, 19> kArchitectures = {
    "x86_64", "i386",  "i486", "i586", "i686",   "arm",   "arm64",   "aarch64",     "powerpc", "ppc64",
    "s390",   "s390x", "ia64", "mips", "mips64", "riscv", "riscv64", "loongarch64", "sparc64"};

// "6.1.0-56-amd64", "6.1.0", "6.1": most specific first.
std::vector<std::string> version_names(const std::string &release) {
    std::vector<std::string> names;
    if (release.empty()) return names;
    names.push_back(release);
    std::string base = release.substr(0, release.find('-'));
    while (base.find('.') != std::string::npos) {
        if (base != names.back()) names.push_back(base);
        base = base.substr(0, base.rfind('.'));
    }
    return names;
}

bool looks_like_version(const std::string &name) {
    size_t digits = name.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string::npos && name[digits] == '.';
}

// Walks one tapset directory and picks the files that apply to the target.
class Walk {
  public:
    explicit Walk(const IndexOptions &options) : options_(options), versions_(version_names(options.release)) {}

    // Returns the files by path; each with its name below the directory.
    std::vector<std::pair<std::string, IndexedFile>> run(const std::string &directory, bool of_others) {
        chosen_.clear();
        of_others_ = of_others;
        visited_.clear();
        walk(directory, "", 0);
        // Links may lead back, and to each other. Directories that are reached without them have their own name.
        while (!links_.empty()) {
            std::vector<Link> links;
            links.swap(links_);
            std::sort(links.begin(), links.end(), [](const Link &x, const Link &y) { return x.path < y.path; });
            for (const Link &link : links)
                subdirectory(link.path, link.path.filename(), link.name, link.rank);
        }
        std::vector<std::pair<std::string, IndexedFile>> files;
        for (auto &[name, choice] : chosen_)
            files.emplace_back(name, std::move(choice.file));
        std::sort(files.begin(), files.end(),
                  [](const auto &a, const auto &b) { return a.second.path < b.second.path; });
        return files;
    }

  private:
    struct Choice {
        size_t rank;
        IndexedFile file;
    };

    // To a directory, found in the one of that name and rank.
    struct Link {
        fs::path path;
        std::string name;
        size_t rank;
    };

    // `name` is the directory's path below the root without version and architecture parts; `rank` counts how specific
    // those were. A directory that was walked before, under any name, is passed over.
    void walk(const fs::path &directory, const std::string &name, size_t rank) {
        std::error_code error;
        struct stat info {};
        if (stat(directory.c_str(), &info) != 0 || !visited_.emplace(info.st_dev, info.st_ino).second) return;
        for (const auto &entry :
             fs::directory_iterator(directory, fs::directory_options::skip_permission_denied, error)) {
            std::string base = entry.path().filename();
            if (entry.is_symlink(error) && entry.is_directory(error)) {
                links_.push_back({entry.path(), name, rank});
            } else if (entry.is_directory(error)) {
                subdirectory(entry.path(), base, name, rank);
            } else if (base.ends_with(".stp") || base.ends_with(".stpm") || base.ends_with(".table")) {
                add(entry.path(), name + "/" + base, rank);
            }
        }
    }

    void subdirectory(const fs::path &path, const std::string &base, const std::string &name, size_t rank) {
        constexpr size_t kArchRank = 1, kVersionRank = 2;
        if (name.starts_with(kPrograms) || (name.empty() && "/" + base == kPrograms)) {
            walk(path, name + "/" + base, rank);  // programs may be in a directory of any name
        } else if (of_others_ && name.empty() && is_runtime(base)) {
            return;
        } else if (looks_like_version(base)) {
            auto it = std::find(versions_.begin(), versions_.end(), base);
            if (it != versions_.end())
                walk(path, name, rank + kVersionRank * static_cast<size_t>(versions_.end() - it));
        } else if (std::find(kArchitectures.begin(), kArchitectures.end(), base) != kArchitectures.end()) {
            if (base == options_.arch) walk(path, name, rank + kArchRank);
        } else {
            walk(path, name + "/" + base, rank);
        }
    }

    // Directories for what only another implementation's runtime has.
    static bool is_runtime(const std::string &name) { return name == "linux" || name == "dyninst" || name == "bpf"; }

    void add(const fs::path &path, const std::string &name, size_t rank) {
        struct stat info {};
        if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
        auto it = chosen_.find(name);
        if (it != chosen_.end() && it->second.rank >= rank) return;
        IndexedFile file;
        file.path = path;
        file.mtime_ns = static_cast<int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
        file.size = static_cast<uint64_t>(info.st_size);
        file.macros_only = name.ends_with(".stpm");
        file.fills_gaps = of_others_;
        if (name.starts_with(std::string(kPrograms) + "/"))
            file.program = name.substr(kPrograms.size(), name.rfind('.') - kPrograms.size());
        file.table = name.ends_with(".table");
        chosen_[name] = {rank, std::move(file)};
    }

    const IndexOptions &options_;
    std::vector<std::string> versions_;
    std::map<std::string, Choice> chosen_;
    std::set<std::pair<dev_t, ino_t>> visited_;
    std::vector<Link> links_;
    bool of_others_ = false;
};

// Where the index of these options is kept.
std::string cache_path(const IndexOptions &options) {
    std::string key = options.release + "\n" + options.arch;
    for (const auto *list : {&options.directories, &options.other_directories})
        for (const std::string &directory : *list)
            key.append("\n").append(fs::absolute(directory).string());
    uint64_t hash = 0xcbf29ce484222325;
    for (char c : key)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::ostringstream name;
    name << options.cache_dir << "/tapset-index-" << std::hex << hash;
    return name.str();
}

// The kept entries by path; empty when there are none or they are damaged.
std::map<std::string, IndexedFile> read_cache(const std::string &path) {
    std::ifstream in(path);
    std::string line;
    std::map<std::string, IndexedFile> files;
    if (!std::getline(in, line) || line != kHeader) return files;
    IndexedFile *file = nullptr;
    while (std::getline(in, line)) {
        if (line.size() < 3 || line[1] != ' ') return {};
        std::string rest = line.substr(2);
        if (line[0] == 'F') {
            std::istringstream fields(rest);
            IndexedFile entry;
            fields >> entry.mtime_ns >> entry.size >> entry.macros_only;
            fields.ignore(1);
            std::getline(fields, entry.path);
            if (entry.path.empty()) return {};
            file = &(files[entry.path] = std::move(entry));
            continue;
        }
        if (!file) return {};
        switch (line[0]) {
            case 'f':
                file->names.functions.push_back(std::move(rest));
                break;
            case 'g':
                file->names.globals.push_back(std::move(rest));
                break;
            case 'a':
                file->names.aliases.push_back(std::move(rest));
                break;
            case 'm':
                file->names.macros.push_back(std::move(rest));
                break;
            default:
                return {};
        }
    }
    return files;
}

// Written beside and renamed, so that a concurrent reader sees the old or the new one. Failure only costs time later.
void write_cache(const std::string &path, const std::vector<IndexedFile> &files) {
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    std::string part = path + "." + std::to_string(getpid());
    {
        std::ofstream out(part);
        out << kHeader << "\n";
        auto list = [&](char kind, const std::vector<std::string> &names) {
            for (const std::string &name : names)
                out << kind << ' ' << name << "\n";
        };
        for (const IndexedFile &file : files) {
            if (file.text) continue;
            out << "F " << file.mtime_ns << ' ' << file.size << ' ' << file.macros_only << ' ' << file.path << "\n";
            list('f', file.names.functions);
            list('g', file.names.globals);
            list('a', file.names.aliases);
            list('m', file.names.macros);
        }
        if (!out.flush()) {
            fs::remove(part, error);
            return;
        }
    }
    fs::rename(part, path, error);
    if (error) fs::remove(part, error);
}

}  // namespace

std::vector<IndexedFile> list_files(const IndexOptions &options) {
    std::vector<IndexedFile> files;
    std::set<std::string> seen, names;
    Walk walk(options);
    size_t level = 0;
    for (const auto *list : {&options.directories, &options.other_directories}) {
        const bool of_others = list == &options.other_directories;
        for (const std::string &directory : *list) {
            for (auto &[name, file] : walk.run(directory, of_others)) {
                const bool again = !names.insert(name).second;
                if ((of_others && again) || !seen.insert(file.path).second) continue;
                file.level = level;
                files.push_back(std::move(file));
            }
            ++level;
        }
    }
    return files;
}

void add_texts(const std::vector<std::shared_ptr<const SourceFile>> &texts, std::vector<IndexedFile> &files) {
    if (texts.empty()) return;
    for (IndexedFile &file : files)
        ++file.level;
    std::vector<IndexedFile> first;
    for (const auto &text : texts) {
        first.emplace_back();
        first.back().path = text->name();
        first.back().text = text;
    }
    files.insert(files.begin(), std::make_move_iterator(first.begin()), std::make_move_iterator(first.end()));
}

Index Index::build(const IndexOptions &options, std::vector<IndexedFile> files) {
    Index index;
    const bool keep = !options.cache_dir.empty();
    std::map<std::string, IndexedFile> kept;
    if (keep) kept = read_cache(cache_path(options));
    const size_t kept_count = kept.size();
    const auto texts = static_cast<size_t>(
        std::count_if(files.begin(), files.end(), [](const IndexedFile &file) { return file.text != nullptr; }));
    for (IndexedFile &file : files) {
        auto it = kept.find(file.path);
        if (file.text) {
            file.names = scan(file.text->text());
        } else if (it != kept.end() && it->second.mtime_ns == file.mtime_ns && it->second.size == file.size) {
            file.names = std::move(it->second.names);
        } else {
            std::string text;
            if (!file.table && read_file(file.path.c_str(), kMaxText, text) == 0) file.names = scan(text);
            ++index.scanned_;
        }
    }
    index.reserve(files);
    for (IndexedFile &file : files)
        index.add(std::move(file));
    if (keep && (index.scanned_ != 0 || kept_count != index.files_.size() - texts))
        write_cache(cache_path(options), index.files_);
    return index;
}

// Thousands of names: growing step by step would cost more than entering them.
void Index::reserve(const std::vector<IndexedFile> &files) {
    size_t functions = 0, globals = 0, aliases = 0, macros = 0;
    for (const IndexedFile &file : files) {
        functions += file.names.functions.size();
        globals += file.names.globals.size();
        aliases += file.names.aliases.size();
        macros += file.names.macros.size();
    }
    files_.reserve(files.size());
    functions_.reserve(functions);
    globals_.reserve(globals);
    aliases_.reserve(aliases);
    macros_.reserve(macros);
}

// Defined by a file that does not just fill gaps.
bool Index::is_taken(const Map &map, const std::string &name) const {
    auto [first, last] = map.equal_range(name);
    return std::any_of(first, last, [&](const auto &entry) {
        return entry.second < files_.size() && !files_[entry.second].fills_gaps;
    });
}

void Index::add(IndexedFile file) {
    const size_t number = files_.size();
    const auto enter = [&](Map &map, const std::vector<std::string> &names) {
        for (const std::string &name : names)
            if (!file.fills_gaps || !is_taken(map, name)) map.emplace(name, number);
    };
    if (file.macros_only) {
        enter(macros_, file.names.macros);
    } else {
        enter(functions_, file.names.functions);
        enter(globals_, file.names.globals);
        if (file.fills_gaps && !taken_aliases_) {
            taken_aliases_.emplace();
            for (const Alias &alias : aliases_)
                taken_aliases_->insert(alias.name);
        }
        for (const std::string &name : file.names.aliases)
            if (!file.fills_gaps || taken_aliases_->count(name) == 0) aliases_.push_back({name, number});
    }
    files_.push_back(std::move(file));
}

std::vector<size_t> Index::find(const Map &map, std::string_view name) {
    auto [first, last] = map.equal_range(std::string(name));
    std::set<size_t> numbers;
    for (auto it = first; it != last; ++it)
        numbers.insert(it->second);
    return {numbers.begin(), numbers.end()};
}

std::vector<std::string> Index::names_of(const Map &map) {
    std::set<std::string> names;
    for (const auto &[name, file] : map)
        names.insert(name);
    return {names.begin(), names.end()};
}

}  // namespace tapir::library
