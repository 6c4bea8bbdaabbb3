// SPDX-License-Identifier: GPL-2.0-or-later
// Answers without a network and without compilations.
#include "server/service.h"

#include <gtest/gtest.h>

#include "../trust/authority.h"
#include "common/files.h"
#include "common/hash.h"

namespace tapir::server {
namespace {

class Answers : public ::testing::Test {
  protected:
    Answers() {
        auto log = std::make_shared<AuditLog>();
        EXPECT_EQ("", log->open(log_));
        settings_.audit_log = log;
        const std::string why = access_->policy.parse(R"({"roles": {"all": {"compile": true, "admin": true}},
                                                          "clients": [{"token": "ci", "roles": ["all"]}]})");
        EXPECT_EQ("", why);
        EXPECT_EQ("", access_->tokens.parse("ci " + sha256("secret")));
    }
    Service &service() {
        if (!service_) {
            service_ = std::make_unique<Service>(settings_, kernels_, compiler_, results_, jobs_, preparations_);
            service_->set_access(access_);
        }
        return *service_;
    }
    Answer ask(const std::string &method, const std::string &target, const std::string &body = "") {
        Head head;
        head.method = method;
        head.target = target;
        head.authorization = "Bearer secret";
        head.peer = "10.0.0.7";
        Entry entry = service().enter(head);
        return entry.refusal ? *entry.refusal : service().answer(head, entry.client, body);
    }
    // Of a module that is there.
    std::string key_of_a_module() {
        Result result;
        result.key = std::string(64, 'a');
        result.name = "stap_a";
        result.release = "6.1.0";
        result.architecture = "x86_64";
        result.module = "bytes";
        result.sha256 = sha256(result.module);
        EXPECT_EQ("", results_.store(result));
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

TEST_F(Answers, TheLogHasTheQuestion) {
    EXPECT_EQ(404, ask("GET", "/v1/elsewhere").status);
    EXPECT_NE(std::string::npos, last_line().find("peer=\"10.0.0.7\" method=\"GET\" target=\"/v1/elsewhere\" tag="))
        << last_line();
}

}  // namespace
}  // namespace tapir::server
