// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/module_builder.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "build/link.h"
#include "build/rename_module.h"
#include "common/files.h"
#include "common/hash.h"
#include "module/module_file.h"

namespace tapir::build {
namespace {

// Hash digits in a module's name: 128 bits.
constexpr size_t kNameDigits = 32;

// The one that the kernel's own modules are signed with is built in for certain (CONFIG_MODULE_SIG_HASH).
std::string signing_digest(const target::Kernel &kernel) {
    const std::string config = kernel.config_text();
    for (const char *digest : {"sha384", "sha512"})
        if (config.find("\nCONFIG_MODULE_SIG_HASH=\"" + std::string(digest) + "\"") != std::string::npos) return digest;
    return "sha256";
}

// Replaces the file in one step; others may read it as far as the user lets them (umask).
Outcome<void> put_in_place(const std::string &path, std::string_view bytes) {
    const std::string temporary = path + ".new" + std::to_string(getpid());
    const bool written = static_cast<bool>(write_file(temporary, bytes));
    if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return {};
    const int error = errno;
    unlink(temporary.c_str());
    return Fault{FaultTag::FileUnwritable, path + ": " + std::strerror(error)};
}

}  // namespace

Builder::Builder(const target::Kernel &kernel, BuildOptions options, Diagnostics &diagnostics)
    : kernel_(kernel),
      options_(std::move(options)),
      diagnostics_(diagnostics),
      modules_(options_.cache_root + "/modules", options_.cache, configured_cache_limit(options_.cache_root)),
      results_(options_.cache_root + "/results", options_.cache, configured_cache_limit(options_.cache_root) / 16) {}

Builder::~Builder() = default;

void Builder::note(int level, const std::string &text) const {
    if (options_.note) options_.note(level, text);
}

// The digest of the sources is kept beside the results, so that not every run reads them.
TemplateOptions Builder::template_options() {
    if (sources_.empty()) {
        const std::string stamp = sources_stamp(options_.source_root);
        const std::string key = stamp.empty() ? "" : sha256("sources " + stamp);
        if (!key.empty()) sources_ = results_.find_text(key).value_or("");
        if (sources_.empty()) {
            sources_ = sources_digest(options_.source_root);
            if (!key.empty()) static_cast<void>(results_.store(key, "sources", sources_));
        }
    }
    return {options_.source_root, options_.cache_root, options_.make_args, sources_, options_.note};
}

bool Builder::prepare(bool *built) {
    if (built) *built = false;
    if (!template_ && !prepare_failed_) template_ = Template::open(kernel_, template_options(), diagnostics_, built);
    prepare_failed_ = !template_;
    return !prepare_failed_;
}

std::string Builder::base_key() {
    // This program's own file stands for the code that makes modules from templates.
    if (base_key_.empty())
        base_key_ = Hasher()
                        .add(options_.version)
                        .add(file_identity("/proc/self/exe"))
                        .add(template_key(kernel_, choose_compiler(kernel_, options_.cache_root), template_options()))
                        .add(options_.signer ? options_.signer->identity() + " " + signing_digest(kernel_) : "")
                        .hex();
    return base_key_;
}

std::string Builder::work_directory() {
    if (!options_.work.empty()) return options_.work;
    if (!own_work_) {
        const Outcome<std::string> path = make_directory(temporary_root(), "tapir-");
        if (!path) {
            diagnostics_.report(Tag::OutputUnwritable, "cannot make a temporary directory: " + path.fault().message());
            return "";
        }
        own_work_ = std::make_unique<TemporaryDirectory>(*path);
    }
    return own_work_->path();
}

std::optional<std::string> Builder::link(const Script &script) {
    if (!prepare()) return std::nullopt;
    LinkInput input{script.c_text, script.kernel_headers, work_directory()};
    if (input.work.empty()) return std::nullopt;
    Outcome<std::optional<std::string>> module = link_script(*template_, kernel_, input, diagnostics_);
    if (module) return std::move(*module);
    note(1, "The fast build does not work here (" + module.fault().message() + "); running kbuild.");
    const Outcome<std::string> made = make_directory(input.work, "kbuild-");
    if (!made) {
        diagnostics_.report(Tag::OutputUnwritable, made.fault().message());
        return std::nullopt;
    }
    const TemporaryDirectory whole(*made);
    input.work = whole.path();
    return link_script_with_kbuild(kernel_, template_options(), input, diagnostics_);
}

// The text and, for each --modinfo, a definition that puts it into .modinfo.
std::string Builder::with_modinfo(const Script &script) {
    std::string text(script.c_text);
    int number = 0;
    for (const auto &[name, value] : script.modinfo) {
        text += "\nstatic const char tapir_modinfo_" + std::to_string(number++) +
                "[] __attribute__((used, section(\".modinfo\"), aligned(1))) = \"";
        for (char c : name + "=" + value) {
            if (c == '"' || c == '\\') text += '\\';
            text += c;
        }
        text += "\";\n";
    }
    return text;
}

std::optional<Module> Builder::build(const Script &given) {
    const std::string text = with_modinfo(given);
    Script script = given;
    script.c_text = text;
    std::string key = Hasher()
                          .add("module")
                          .add(base_key())
                          .add(script.c_text)
                          .add(script.kernel_headers ? "kernel" : "")
                          .add(script.name)
                          .hex();
    if (script.name.empty())
        if (auto path = modules_.find(key)) return Module{*path, "stap_" + key.substr(0, kNameDigits), true};
    auto bytes = link(script);
    if (!bytes) return std::nullopt;
    return publish(script, key, std::move(*bytes));
}

bool Builder::sign(std::string &bytes) {
    if (!options_.signer) return true;
    Outcome<std::string> made = options_.signer->sign(bytes, signing_digest(kernel_));
    if (!made) {
        diagnostics_.report(Tag::ModuleUnsigned,
                            "cannot sign the module for the kernel (--sign-key): " + made.fault().message());
        return false;
    }
    bytes = std::move(*made);
    return true;
}

std::optional<Module> Builder::with_free_name(const Module &module) {
    if (access(("/sys/module/" + module.name).c_str(), F_OK) != 0) return module;
    const auto failed = [this](const std::string &why) {
        diagnostics_.report(Tag::ModuleUnsigned, "cannot sign the module under another name: " + why);
        return std::nullopt;
    };
    const std::optional<std::string> image = read_file(module.path);
    if (!image) return failed(module.path + ": " + std::strerror(errno));
    Outcome<std::string> bare = trust::without_kernel_signature(*image);
    if (!bare) return failed(bare.fault().message());
    ModuleFile file;
    if (const Outcome<void> parsed = file.parse(std::move(*bare)); !parsed) return failed(parsed.fault().message());
    Module copy;
    copy.name = unique_module_name(module.name, static_cast<uint64_t>(getpid()));
    if (!file.rename(copy.name)) return failed("'" + copy.name + "' is too long");
    std::string bytes = file.image();
    if (!sign(bytes) || work_directory().empty()) return std::nullopt;
    copy.path = work_directory() + "/" + copy.name + ".ko";
    if (const Outcome<void> written = put_in_place(copy.path, bytes); !written)
        return failed(written.fault().message());
    note(1, module.name + " is loaded already; this run is " + copy.name);
    return copy;
}

std::optional<Module> Builder::publish(const Script &script, const std::string &key, std::string bytes) {
    Module module;
    module.name = script.name.empty() ? "stap_" + key.substr(0, kNameDigits) : script.name;
    if (const Outcome<void> named = rename_module(bytes, kPlaceholder, module.name); !named) {
        diagnostics_.report(Tag::LinkFailed,
                            "the linked module cannot be named " + module.name + ": " + named.fault().message());
        return std::nullopt;
    }
    if (!sign(bytes)) return std::nullopt;
    if (script.name.empty()) {
        if (const Outcome<std::string> path = modules_.store(key, module.name + ".ko", bytes)) {
            module.path = *path;
            return module;
        } else if (options_.cache != CacheMode::Disabled) {
            note(1, "The module is not kept in the cache: " + path.fault().message());
        }
        module.path = work_directory() + "/" + module.name + ".ko";
    } else {
        module.path = script.output.empty() ? module.name + ".ko" : script.output;
    }
    if (const Outcome<void> written = put_in_place(module.path, bytes); !written) {
        diagnostics_.report(Tag::OutputUnwritable, "cannot write the module: " + written.fault().message());
        return std::nullopt;
    }
    return module;
}

std::optional<Module> Builder::find_result(const std::string &key) {
    auto module_key = results_.find_text(key);
    if (!module_key || module_key->size() < kNameDigits) return std::nullopt;
    auto path = modules_.find(*module_key);
    if (!path) return std::nullopt;
    return Module{*path, "stap_" + module_key->substr(0, kNameDigits), true};
}

void Builder::store_result(const std::string &key, const Module &module) {
    // A module in the cache lies in a directory named by its key.
    size_t end = module.path.rfind('/');
    if (!module.path.starts_with(modules_.directory() + "/") || end == std::string::npos) return;
    size_t begin = module.path.rfind('/', end - 1) + 1;
    static_cast<void>(results_.store(key, "module", std::string_view(module.path).substr(begin, end - begin)));
}

static std::string note_key(const std::string &key) {
    return sha256("note " + key);
}

std::string Builder::find_note(const std::string &key) {
    return results_.find_text(note_key(key)).value_or("");
}

void Builder::store_note(const std::string &key, const std::string &text) {
    static_cast<void>(results_.store(note_key(key), "note", text));
}

}  // namespace tapir::build
