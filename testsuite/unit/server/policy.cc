// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/policy.h"

#include <gtest/gtest.h>

#include "../said.h"
#include "../trust/authority.h"
#include "common/hash.h"

namespace tapir::server {
namespace {

using trust::kDay;
using trust::kNow;

constexpr char kPolicy[] = R"({
    "roles": {  // comments are allowed
        "tracer": {"compile": true, "tapsets": ["net"]},
        "engineer": {"compile": true, "guru": true, "tapsets": ["*"]},
        "keeper": {"admin": true}
    },
    "clients": [
        {"certificate": "CN=anna", "roles": ["tracer", "keeper"]},
        {"fingerprint": "aa", "roles": ["engineer"]},
        {"token": "ci", "roles": ["tracer"]}
    ]
})";

TEST(Policy, AddsRightsOfRoles) {
    Policy policy;
    ASSERT_EQ("", said(policy.parse(kPolicy)));
    const Rights anna = policy.rights_of({Identity::Kind::Certificate, "CN=anna", "bb"});
    EXPECT_TRUE(anna.compile && anna.admin && !anna.guru && !anna.all_sets);
    EXPECT_EQ(std::set<std::string>{"net"}, anna.sets);
    const Rights by_fingerprint = policy.rights_of({Identity::Kind::Certificate, "CN=other", "aa"});
    EXPECT_TRUE(by_fingerprint.guru && by_fingerprint.all_sets);
    EXPECT_TRUE(policy.rights_of({Identity::Kind::Token, "ci", ""}).compile);
}

TEST(Policy, NamesOfOneKindAreNotThoseOfAnother) {
    Policy policy;
    ASSERT_EQ("", said(policy.parse(kPolicy)));
    EXPECT_FALSE(policy.rights_of({Identity::Kind::Token, "CN=anna", ""}).any());
    EXPECT_FALSE(policy.rights_of({Identity::Kind::Certificate, "ci", ""}).any());
    EXPECT_FALSE(policy.rights_of({Identity::Kind::Nobody, "ci", "aa"}).any());
}

TEST(Policy, BadConfiguration) {
    Policy policy;
    ASSERT_EQ("", said(policy.parse(kPolicy)));
    EXPECT_EQ("it is no JSON object", said(policy.parse("{")));
    EXPECT_FALSE(policy.rights_of({Identity::Kind::Token, "ci", ""}).any());
    EXPECT_EQ("role 'a': there is no right 'root'; there are compile, guru, admin, replace, debug, tapsets",
              said(policy.parse(R"({"roles": {"a": {"root": true}}})")));
    EXPECT_EQ("role 'a': 'guru' is nothing without 'compile'",
              said(policy.parse(R"({"roles": {"a": {"guru": true}}})")));
    EXPECT_EQ("role 'a': 'admin' has to be true or false", said(policy.parse(R"({"roles": {"a": {"admin": "no"}}})")));
    EXPECT_EQ("a client has a role that 'roles' does not have: \"b\"",
              said(policy.parse(R"({"roles": {}, "clients": [{"token": "t", "roles": ["b"]}]})")));
    EXPECT_EQ("a client has one of 'certificate', 'fingerprint' and 'token', a string, and 'roles'",
              said(policy.parse(R"({"clients": [{"tokn": "t", "roles": []}]})")));
    EXPECT_EQ("there is no field 'client'; there are roles and clients", said(policy.parse(R"({"client": []})")));
}

TEST(Tokens, FindsTheOwnerByTheHash) {
    trust::Tokens tokens;
    ASSERT_EQ("",
              said(tokens.parse("# who\nci " + sha256("secret") + "\nold " + sha256("older") + " 1000 # gone\n\n")));
    EXPECT_EQ("ci", tokens.name_of("secret", 2000));
    EXPECT_EQ("", tokens.name_of("secre", 2000));
    EXPECT_EQ("", tokens.name_of("", 2000));
    EXPECT_EQ("", tokens.name_of(sha256("secret"), 2000));
    EXPECT_EQ("old", tokens.name_of("older", 1000));
    EXPECT_EQ("", tokens.name_of("older", 1001));
}

TEST(Tokens, RefusedFilesChangeNothing) {
    trust::Tokens tokens;
    ASSERT_EQ("", said(tokens.parse("ci " + sha256("secret"))));
    EXPECT_EQ("line 1: no SHA-256 in 64 lower-case hexadecimal digits", said(tokens.parse("ci secret")));
    EXPECT_EQ("line 2: the token's name is not plain", said(tokens.parse("\na/b " + sha256("x"))));
    EXPECT_EQ("line 1: the time is not a number of seconds", said(tokens.parse("a " + sha256("x") + " tomorrow")));
    EXPECT_EQ("line 1: there is more than NAME SHA256 [NOT-AFTER]", said(tokens.parse("a " + sha256("x") + " 1 2")));
    EXPECT_EQ("ci", tokens.name_of("secret", 0));
}

class Clients : public ::testing::Test {
  protected:
    trust::Identity authority_ = trust::make_identity({.name = "Authority", .authority = true});
    trust::Identity client_ = trust::make_identity({.name = "anna", .purpose = "clientAuth"}, &authority_);
    Authorities authorities_;
    std::string check(const trust::Identity &who, int64_t now = kNow) {
        return said(authorities_.check(who.certificate.get(), nullptr, now));
    }
};

TEST_F(Clients, GoodCertificatesAreTaken) {
    EXPECT_EQ("this server takes no certificates", check(client_));
    ASSERT_EQ("", said(authorities_.load(trust::pem(authority_), "")));
    EXPECT_EQ("", check(client_));
    EXPECT_EQ("", said(authorities_.load(trust::pem(authority_), trust::pem_list(authority_, nullptr))));
    EXPECT_EQ("", check(client_));
}

TEST_F(Clients, OthersAreNot) {
    ASSERT_EQ("", said(authorities_.load(trust::pem(authority_), "")));
    EXPECT_EQ("certificate has expired", check(client_, kNow + 20 * kDay));
    EXPECT_NE("", check(trust::make_identity({.name = "anna", .purpose = "clientAuth"})));
    EXPECT_NE("", check(trust::make_identity({.name = "signer"}, &authority_)));  // for signing code
    ASSERT_EQ("", said(authorities_.load(trust::pem(authority_), trust::pem_list(authority_, &client_))));
    EXPECT_EQ("certificate revoked", check(client_));
}

TEST_F(Clients, AnAuthorityWithoutAListCouldHaveRevokedAnything) {
    const trust::Identity other = trust::make_identity({.name = "Other", .authority = true});
    ASSERT_EQ("", said(authorities_.load(trust::pem(authority_) + trust::pem(other), trust::pem_list(other, nullptr))));
    EXPECT_EQ("unable to get certificate CRL", check(client_));
    // Nor is a list good for longer than it says.
    ASSERT_EQ("", said(authorities_.load(trust::pem(authority_), trust::pem_list(authority_, nullptr))));
    EXPECT_EQ("CRL has expired", check(client_, kNow + 2 * kDay));
}

TEST_F(Clients, DamagedFilesAreRefused) {
    EXPECT_EQ("no certificates in PEM", said(authorities_.load("x", "")));
    EXPECT_EQ("no revocation lists in PEM", said(authorities_.load(trust::pem(authority_), "x")));
    EXPECT_FALSE(authorities_.loaded());
}

}  // namespace
}  // namespace tapir::server
