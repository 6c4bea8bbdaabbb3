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

ModuleBuilder::ModuleBuilder(const target::Kernel &kernel, ModuleOptions options, Diagnostics &diagnostics)
    : Builder(options, "modules", diagnostics), kernel_(kernel), options_(std::move(options)) {}

ModuleBuilder::~ModuleBuilder() = default;

void ModuleBuilder::note(int level, const std::string &text) const {
    if (options_.note) options_.note(level, text);
}

// The digest of the sources is kept beside the results, so that not every run reads them.
TemplateOptions ModuleBuilder::template_options() {
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

bool ModuleBuilder::prepare(bool *built) {
    if (built) *built = false;
    if (!template_ && !prepare_failed_) template_ = Template::open(kernel_, template_options(), diagnostics_, built);
    prepare_failed_ = !template_;
    return !prepare_failed_;
}

std::string ModuleBuilder::base_key() {
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

std::optional<std::string> ModuleBuilder::link(const Script &script) {
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
std::string ModuleBuilder::with_modinfo(const Script &script) {
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

std::optional<Product> ModuleBuilder::build(const Script &given) {
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
        if (auto path = products_.find(key)) return Product{*path, true};
    auto bytes = link(script);
    if (!bytes) return std::nullopt;
    return publish(script, key, std::move(*bytes));
}

bool ModuleBuilder::sign(std::string &bytes) {
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

std::optional<Product> ModuleBuilder::with_free_name(const Product &module) {
    if (access(("/sys/module/" + module.name()).c_str(), F_OK) != 0) return module;
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
    const std::string name = unique_module_name(module.name(), static_cast<uint64_t>(getpid()));
    if (!file.rename(name)) return failed("'" + name + "' is too long");
    std::string bytes = file.image();
    if (!sign(bytes) || work_directory().empty()) return std::nullopt;
    const Product copy{work_directory() + "/" + name + ".ko"};
    if (const Outcome<void> written = put_in_place(copy.path, bytes); !written)
        return failed(written.fault().message());
    note(1, module.name() + " is loaded already; this run is " + name);
    return copy;
}

std::optional<Product> ModuleBuilder::publish(const Script &script, const std::string &key, std::string bytes) {
    const std::string name = script.name.empty() ? "stap_" + key.substr(0, kNameDigits) : script.name;
    if (const Outcome<void> named = rename_module(bytes, kPlaceholder, name); !named) {
        diagnostics_.report(Tag::LinkFailed,
                            "the linked module cannot be named " + name + ": " + named.fault().message());
        return std::nullopt;
    }
    if (!sign(bytes)) return std::nullopt;
    Product module;
    if (script.name.empty()) {
        if (const Outcome<std::string> path = products_.store(key, name + ".ko", bytes)) {
            return Product{*path};
        } else if (options_.cache != CacheMode::Disabled) {
            note(1, "The module is not kept in the cache: " + path.fault().message());
        }
        module.path = work_directory() + "/" + name + ".ko";
    } else {
        module.path = script.output.empty() ? name + ".ko" : script.output;
    }
    if (const Outcome<void> written = put_in_place(module.path, bytes); !written) {
        diagnostics_.report(Tag::OutputUnwritable, "cannot write the module: " + written.fault().message());
        return std::nullopt;
    }
    return module;
}

}  // namespace tapir::build
