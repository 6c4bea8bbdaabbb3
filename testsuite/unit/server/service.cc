// SPDX-License-Identifier: GPL-2.0-or-later
// Answers without a network and without compilations.
#include "server/service.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../said.h"
#include "../trust/authority.h"
#include "common/files.h"
#include "common/hash.h"

namespace tapir::server {
namespace {

class Answers : public ::testing::Test {
  protected:
    Answers() {
        auto log = std::make_shared<AuditLog>();
        EXPECT_EQ("", said(log->open(log_)));
        settings_.audit_log = log;
        const Outcome<void> parsed = access_->policy.parse(R"({"roles": {"all": {"compile": true, "admin": true}},
                                                          "clients": [{"token": "ci", "roles": ["all"]}]})");
        EXPECT_EQ("", said(parsed));
        EXPECT_EQ("", said(access_->tokens.parse("ci " + sha256("secret") + "\nguest " + sha256("guest"))));
    }
    Service &service() {
        if (!service_) {
            service_ = std::make_unique<Service>(settings_, kernels_, compiler_, results_, jobs_, preparations_);
            service_->set_access(access_);
        }
        return *service_;
    }
    Answer ask(const std::string &method, const std::string &target, const std::string &body = "",
               const std::string &token = "secret") {
        Head head;
        head.method = method;
        head.target = target;
        if (!token.empty()) head.authorization = "Bearer " + token;
        head.peer = "10.0.0.7";
        Entry entry = service().enter(head);
        return entry.refusal ? *entry.refusal : service().answer(head, entry.client, body);
    }
    // Status, tag and text of a refusal.
    std::string refused(const Answer &answer) {
        const nlohmann::json json = nlohmann::json::parse(answer.body, nullptr, false);
        if (!json.contains("error")) return std::to_string(answer.status) + " " + answer.body;
        return std::to_string(answer.status) + " " + json["error"]["tag"].get<std::string>() + ": " +
               json["error"]["text"].get<std::string>();
    }
    // Returns the refusal of a script for that kernel.
    std::string refused_script(const std::string &more) {
        return refused(ask("POST", "/v1/modules", R"({"script": "probe begin {}", )" + more + "}"));
    }
    void know_kernel(const std::string &place = "") {
        KernelEntry entry;
        entry.release = "6.1.0";
        entry.architecture = "x86_64";
        entry.build_id = "aa";
        entry.translator = Toolchain().identity();
        entry.place = place.empty() ? folder_.path() + "/kernels/6.1.0" : place;
        folder_.write("kernels/6.1.0/kernel.json", entry.serialize());
    }
    // Returns the key of a module that the server has.
    std::string key_of_a_module() {
        Result result;
        result.key = std::string(64, 'a');
        result.name = "stap_a";
        result.release = "6.1.0";
        result.architecture = "x86_64";
        result.module = "bytes";
        result.sha256 = sha256(result.module);
        EXPECT_EQ("", said(results_.store(result)));
        return result.key;
    }
    std::string last_line() {
        std::string text = read_file(log_).value_or("");
        while (text.ends_with('\n'))
            text.pop_back();
        return text.substr(text.rfind('\n') + 1);
    }

    trust::Folder folder_;
    const std::string log_ = folder_.path() + "/audit.log";
    ServiceSettings settings_;
    std::shared_ptr<Access> access_ = std::make_shared<Access>();
    Kernels kernels_{folder_.path(), {}};
    Results results_{folder_.path() + "/results", 1 << 20};
    Compiler compiler_{{}, kernels_, results_};
    Jobs jobs_{1, 4}, preparations_{1, 4};
    std::unique_ptr<Service> service_;
};

TEST_F(Answers, ThatAModuleCannotBeSignedIsSaid) {
    const std::string key = key_of_a_module();
    EXPECT_EQ(404, ask("GET", "/v1/modules/" + key + ".sig").status);
    EXPECT_NE(std::string::npos, last_line().find("this server signs no modules"));
    // A certificate that does not belong to the key.
    auto signer = std::make_shared<trust::Signer>();
    signer->key = trust::make_identity().key;
    signer->certificate = trust::make_identity().certificate;
    settings_.signer = signer;
    service_.reset();
    const Answer answer = ask("GET", "/v1/modules/" + key + ".sig");
    EXPECT_EQ(500, answer.status);
    EXPECT_NE(std::string::npos, answer.body.find("\"tag\":\"signing-failed\"")) << answer.body;
    EXPECT_NE(std::string::npos, last_line().find("event=sign decision=refused")) << last_line();
    EXPECT_NE(std::string::npos, last_line().find("tag=\"signing-failed\"")) << last_line();
    // The bytes are given as before.
    EXPECT_EQ("bytes", ask("GET", "/v1/modules/" + key).body);
}

TEST_F(Answers, ResultNotSigned) {
    const std::string key = key_of_a_module();
    auto signer = std::make_shared<trust::Signer>();
    signer->key = trust::make_identity().key;
    signer->certificate = trust::make_identity().certificate;
    settings_.signer = signer;
    EXPECT_EQ(0u, refused(ask("GET", "/v1/modules/" + key + ".sig"))
                      .find("500 signing-failed: the module cannot be signed: Couldn't sign 'stap_a': "));
}

TEST_F(Answers, Unauthenticated) {
    EXPECT_EQ("401 unauthenticated: a client's certificate or a token is needed ('Authorization: Bearer TOKEN')",
              refused(ask("GET", "/v1/kernels", "", "")));
    EXPECT_EQ("401 unauthenticated: the token is not known or no longer valid",
              refused(ask("GET", "/v1/kernels", "", "guess")));
}

TEST_F(Answers, Forbidden) {
    EXPECT_EQ("403 forbidden: the policy gives no rights to 'token:guest'",
              refused(ask("GET", "/v1/kernels", "", "guest")));
    EXPECT_EQ(
        "403 forbidden: the right 'guru' is needed for -g and for tapsets of one's own, which may hold embedded C",
        refused_script(R"("kernel": {"release": "6.1.0"}, "options": ["-g"])"));
}

TEST_F(Answers, NotFound) {
    EXPECT_EQ("404 not-found: there is nothing of that name; /v1/openapi.json says what there is",
              refused(ask("GET", "/v1/elsewhere")));
}

TEST_F(Answers, BadMethod) {
    EXPECT_EQ("405 bad-method: only POST is possible here", refused(ask("GET", "/v1/modules")));
}

TEST_F(Answers, TooLarge) {
    Head head;
    head.method = "GET";
    head.target = "/healthz";
    head.length = 1;
    EXPECT_EQ("413 too-large: a body has no meaning here", refused(*service().enter(head).refusal));
}

TEST_F(Answers, KernelUnknown) {
    EXPECT_EQ(
        "404 kernel-unknown: this server does not compile for kernel 6.1.0; GET /v1/kernels lists those it does, PUT "
        "/v1/kernels/6.1.0 adds it",
        refused_script(R"("kernel": {"release": "6.1.0"})"));
}

TEST_F(Answers, KernelDiffers) {
    know_kernel();
    EXPECT_EQ(
        "409 kernel-mismatch: the build-id of kernel 6.1.0 is 'aa' here, not 'bb': it is another build of the same "
        "release",
        refused_script(R"("kernel": {"release": "6.1.0", "build_id": "bb"})"));
    EXPECT_EQ("409 kernel-mismatch: kernel 6.1.0 is for x86_64 here, not for aarch64",
              refused_script(R"("kernel": {"release": "6.1.0"}, "arch": "aarch64")"));
}

TEST_F(Answers, KernelPreparing) {
    know_kernel("/elsewhere");
    EXPECT_EQ("503 kernel-preparing: kernel 6.1.0 is being prepared for this version of the server; ask again",
              refused_script(R"("kernel": {"release": "6.1.0"})"));
}

TEST_F(Answers, TapsetsUnknown) {
    know_kernel();
    access_->policy = {};
    EXPECT_EQ("", said(access_->policy.parse(R"({"roles": {"all": {"compile": true, "tapsets": ["*"]}},
                                                 "clients": [{"token": "ci", "roles": ["all"]}]})")));
    EXPECT_EQ("404 tapsets-unknown: there is no set of tapsets 'net'",
              refused_script(R"("kernel": {"release": "6.1.0"}, "tapset_sets": ["net"])"));
}

TEST(KernelsOfAServer, KernelUnusable) {
    const trust::Folder folder;
    Kernels kernels(folder.path(), {});
    EXPECT_EQ("kernel-unusable: /nowhere: No such file or directory",
              tagged(kernels.add_directory("/nowhere", "", [](const std::string &) {})));
}

TEST(KernelsOfAServer, StateUnwritable) {
    Kernels kernels("/proc/nowhere", {});
    EXPECT_EQ("state-unwritable: /proc/nowhere/kernels: No such file or directory",
              tagged(kernels.add_installed("6.1.0", "", [](const std::string &) {})));
}

TEST(FinishedModule, ModuleUnusable) {
    EXPECT_EQ("module-unusable: the module that was made is of no use: not an ELF file",
              tagged(finish_module("text", "stap_a", {}, {})));
}

TEST(FinishedModule, TheSuspectIsNamed) {
    BuildRequest request;
    request.name = "a.stp";
    request.script = "probe begin { }\n";
    EXPECT_EQ("", suspect(request));
    request.tapsets.push_back({"own.stp", "%{\n#define X __MODULE_INFO\nasm(\".modinfo\");\n%}"});
    EXPECT_EQ(", as own.stp:2 may", suspect(request));
    request.script += "%{ asm(\".section .modinfo\"); %}\n";
    EXPECT_EQ(", as a.stp:2 may", suspect(request));
}

TEST_F(Answers, TheLogHasTheQuestion) {
    EXPECT_EQ(404, ask("GET", "/v1/elsewhere").status);
    EXPECT_NE(std::string::npos, last_line().find("peer=\"10.0.0.7\" method=\"GET\" target=\"/v1/elsewhere\" tag="))
        << last_line();
}

}  // namespace
}  // namespace tapir::server
