// SPDX-License-Identifier: GPL-2.0-or-later
// tapir-bpf-compile: makes one BPF object of the bitcode of portable C. For the build; nothing of it is installed.
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Linker/Linker.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "bpf/compile/lowering.h"

namespace tapir::bpf {

namespace {

struct Options {
    std::string output, absent, ir;
    std::vector<std::string> inputs;
};

[[noreturn]] void fail(const std::string &text) {
    std::fprintf(stderr, "tapir-bpf-compile: %s\n", text.c_str());
    std::exit(1);
}

std::unique_ptr<llvm::Module> read_inputs(const Options &options, llvm::LLVMContext &context) {
    std::unique_ptr<llvm::Module> all;
    for (const std::string &path : options.inputs) {
        llvm::SMDiagnostic error;
        std::unique_ptr<llvm::Module> one = llvm::parseIRFile(path, error, context);
        if (!one) fail(path + ": " + error.getMessage().str());
        if (!all) {
            all = std::move(one);
        } else if (llvm::Linker::linkModules(*all, std::move(one))) {
            fail(path + ": cannot be linked with the others");
        }
    }
    if (!all) fail("no bitcode was named");
    return all;
}

// The passes of an optimizing compiler.
class Optimizer {
  public:
    explicit Optimizer(llvm::TargetMachine *machine) : builder_(machine) {
        // No function of a C library is there, and none may be made of loops.
        functions_.disableAllFunctions();
        per_function_.registerPass([this] { return llvm::TargetLibraryAnalysis(functions_); });
        builder_.registerModuleAnalyses(per_module_);
        builder_.registerCGSCCAnalyses(per_component_);
        builder_.registerFunctionAnalyses(per_function_);
        builder_.registerLoopAnalyses(per_loop_);
        builder_.crossRegisterProxies(per_loop_, per_function_, per_component_, per_module_);
    }

    void run(llvm::Module &module, const char *passes) {
        llvm::ModulePassManager manager;
        if (llvm::Error error = builder_.parsePassPipeline(manager, passes)) fail(llvm::toString(std::move(error)));
        manager.run(module, per_module_);
    }

  private:
    llvm::TargetLibraryInfoImpl functions_;
    llvm::LoopAnalysisManager per_loop_;
    llvm::FunctionAnalysisManager per_function_;
    llvm::CGSCCAnalysisManager per_component_;
    llvm::ModuleAnalysisManager per_module_;
    llvm::PassBuilder builder_;
};

// In the object: of each function its name, the registers that it takes, whether the last is its frame, the bytes of
// arguments in that, all bytes of it, and whether it returns something.
void describe(llvm::Module &module, const Shapes &shapes) {
    std::string text;
    for (const auto &[function, shape] : shapes) {
        text += function->getName().str() + " " + std::to_string(shape.registers) + " " + std::to_string(shape.framed) +
                " " + std::to_string(shape.argument_bytes) + " " + std::to_string(shape.frame_bytes) + " " +
                std::to_string(!function->getReturnType()->isVoidTy()) + "\n";
    }
    llvm::Constant *bytes = llvm::ConstantDataArray::getString(module.getContext(), text, /*AddNull=*/false);
    auto *table = new llvm::GlobalVariable(module, bytes->getType(), true, llvm::GlobalValue::ExternalLinkage, bytes,
                                           "tapir_bpf_functions");
    table->setSection(".tapir.functions");
}

void write_lines(const std::string &path, const std::map<std::string, std::string> &lines) {
    std::ofstream out(path);
    for (const auto &[name, text] : lines)
        out << name << "\t" << text << "\n";
    if (!out.flush()) fail(path + ": cannot be written");
}

void write_object(llvm::Module &module, llvm::TargetMachine &machine, const std::string &path) {
    std::error_code error;
    llvm::raw_fd_ostream out(path, error);
    if (error) fail(path + ": " + error.message());
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile))
        fail("LLVM has no objects for BPF");
    passes.run(module);
}

void compile(const Options &options) {
    llvm::LLVMContext context;
    std::unique_ptr<llvm::Module> module = read_inputs(options, context);
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(module->getTargetTriple(), error);
    if (!target) fail(error);
    llvm::TargetOptions target_options;
    target_options.EmitStackSizeSection = true;
    std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(module->getTargetTriple(), "v4", "",
                                                                             target_options, std::nullopt, std::nullopt,
                                                                             llvm::CodeGenOptLevel::Default));
    llvm::StripDebugInfo(*module);
    Optimizer(machine.get()).run(*module, "globaldce,default<O2>,globaldce");
    std::map<std::string, std::string> absent = drop_impossible(*module, simplify(*module));
    Optimizer(machine.get()).run(*module, "function(sroa,instcombine<no-verify-fixpoint>,simplifycfg),globaldce");
    simplify(*module);
    Shapes shapes = give_frames(*module);
    forget_numbers(*module);
    cast_accesses(*module);
    for (llvm::Function &function : *module) {
        if (function.isDeclaration()) continue;
        function.setLinkage(llvm::GlobalValue::ExternalLinkage);
        function.setCallingConv(llvm::CallingConv::C);
    }
    describe(*module, shapes);
    if (!options.ir.empty()) {
        std::error_code failed;
        llvm::raw_fd_ostream out(options.ir, failed);
        module->print(out, nullptr);
    }
    if (llvm::verifyModule(*module, &llvm::errs())) fail("the lowered module is not well-formed");
    if (!options.absent.empty()) write_lines(options.absent, absent);
    write_object(*module, *machine, options.output);
}

Options parse(int argc, char **argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i];
        auto value = [&] { return ++i < argc ? std::string(argv[i]) : (fail(word + " needs a value"), std::string()); };
        if (word == "-o") {
            options.output = value();
        } else if (word == "--absent") {
            options.absent = value();
        } else if (word == "--ir") {
            options.ir = value();
        } else {
            options.inputs.push_back(word);
        }
    }
    if (options.output.empty()) fail("usage: tapir-bpf-compile -o OBJECT [--absent FILE] [--ir FILE] BITCODE...");
    return options;
}

}  // namespace

}  // namespace tapir::bpf

int main(int argc, char **argv) {
    tapir::bpf::Options options = tapir::bpf::parse(argc, argv);
    // Kernels before 6.18 have no load that extends a sign from an arena, and a loop that is rebuilt begins with
    // numbers again.
    const char *codegen[] = {"tapir-bpf-compile", "-disable-ldsx", "-disable-lsr"};
    llvm::cl::ParseCommandLineOptions(std::size(codegen), codegen);
    LLVMInitializeBPFTargetInfo();
    LLVMInitializeBPFTarget();
    LLVMInitializeBPFTargetMC();
    LLVMInitializeBPFAsmPrinter();
    LLVMInitializeBPFAsmParser();
    tapir::bpf::compile(options);
    return 0;
}
