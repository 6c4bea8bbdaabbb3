// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/policy.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <nlohmann/json.hpp>

#include "trust/store.h"

namespace tapir::server {
namespace {

using Json = nlohmann::json;

Fault bad_policy(const std::string &why) {
    return {FaultTag::BadConfiguration, why};
}

Outcome<void> parse_role(const std::string &name, const Json &json, Rights &out) {
    const std::string where = "role '" + name + "': ";
    if (!json.is_object()) return bad_policy(where + "has to be an object");
    for (const auto &[field, value] : json.items()) {
        if (field == "tapsets") {
            if (!value.is_array()) return bad_policy(where + "'tapsets' has to be a list of names");
            for (const Json &set : value) {
                if (!set.is_string()) return bad_policy(where + "'tapsets' has to be a list of names");
                if (set == "*")
                    out.all_sets = true;
                else
                    out.sets.insert(set.get<std::string>());
            }
            continue;
        }
        bool *right = field == "compile"   ? &out.compile
                      : field == "guru"    ? &out.guru
                      : field == "admin"   ? &out.admin
                      : field == "replace" ? &out.replace
                      : field == "debug"   ? &out.debug
                                           : nullptr;
        if (!right)
            return bad_policy(where + "there is no right '" + field +
                              "'; there are compile, guru, admin, replace, debug, tapsets");
        if (!value.is_boolean()) return bad_policy(where + "'" + field + "' has to be true or false");
        *right = value.get<bool>();
    }
    if (out.guru && !out.compile) return bad_policy(where + "'guru' is nothing without 'compile'");
    if (out.replace && !out.admin) return bad_policy(where + "'replace' is nothing without 'admin'");
    return {};
}

}  // namespace

std::string Identity::text() const {
    return kind == Kind::Nobody ? "nobody" : (kind == Kind::Token ? "token:" : "certificate:") + name;
}

Outcome<void> Policy::parse(std::string_view text) {
    *this = {};
    Policy policy;
    const Json json = Json::parse(text, nullptr, false, true);
    if (!json.is_object()) return bad_policy("it is no JSON object");
    for (const auto &[field, value] : json.items())
        if (field != "roles" && field != "clients")
            return bad_policy("there is no field '" + field + "'; there are roles and clients");
    const Json roles_of_file = json.value("roles", Json::object());
    if (!roles_of_file.is_object()) return bad_policy("'roles' has to be an object");
    for (const auto &[name, role] : roles_of_file.items())
        if (Outcome<void> parsed = parse_role(name, role, policy.roles_[name]); !parsed) return parsed;
    const Json clients = json.value("clients", Json::array());
    if (!clients.is_array()) return bad_policy("'clients' has to be a list");
    for (const Json &client : clients) {
        if (!client.is_object()) return bad_policy("a client has to be an object");
        std::vector<std::string> *roles = nullptr;
        for (const auto &[field, value] : client.items()) {
            if (field == "roles") continue;
            auto *known = field == "certificate"   ? &policy.certificates_
                          : field == "fingerprint" ? &policy.fingerprints_
                          : field == "token"       ? &policy.tokens_
                                                   : nullptr;
            if (!known || !value.is_string() || roles)
                return bad_policy(
                    "a client has one of 'certificate', 'fingerprint' and 'token', a string, and 'roles'");
            roles = &(*known)[value.get<std::string>()];
        }
        if (!roles || !client.contains("roles") || !client["roles"].is_array())
            return bad_policy(
                "a client has one of 'certificate', 'fingerprint' and 'token', a string, and 'roles', a list");
        for (const Json &role : client["roles"]) {
            if (!role.is_string() || !policy.roles_.contains(role.get<std::string>()))
                return bad_policy("a client has a role that 'roles' does not have: " +
                                  role.dump(-1, ' ', true, Json::error_handler_t::replace));
            roles->push_back(role.get<std::string>());
        }
    }
    *this = std::move(policy);
    return {};
}

Rights Policy::rights_of(const Identity &client) const {
    Rights rights;
    const auto add = [&](const auto &known, const std::string &name) {
        const auto found = known.find(name);
        if (found == known.end()) return;
        for (const std::string &name_of_role : found->second) {
            const Rights &role = roles_.at(name_of_role);
            rights.compile |= role.compile;
            rights.guru |= role.guru;
            rights.admin |= role.admin;
            rights.replace |= role.replace;
            rights.debug |= role.debug;
            rights.all_sets |= role.all_sets;
            rights.sets.insert(role.sets.begin(), role.sets.end());
        }
    };
    if (client.kind == Identity::Kind::Token) add(tokens_, client.name);
    if (client.kind == Identity::Kind::Certificate) {
        add(certificates_, client.name);
        add(fingerprints_, client.fingerprint);
    }
    return rights;
}

Outcome<void> Authorities::load(const std::string &certificates, const std::string &lists) {
    std::vector<trust::Certificate> authorities;
    if (!trust::read_certificates(certificates, authorities)) return bad_policy("no certificates in PEM");
    trust::CertificateStore store(X509_STORE_new());
    for (const trust::Certificate &authority : authorities)
        if (X509_STORE_add_cert(store.get(), authority.get()) != 1) return bad_policy(trust::last_error());
    if (!lists.empty()) {
        trust::Bio bio = trust::reader(lists);
        int count = 0;
        while (trust::RevocationList list{PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)}) {
            if (X509_STORE_add_crl(store.get(), list.get()) != 1) return bad_policy(trust::last_error());
            ++count;
        }
        ERR_clear_error();
        if (count == 0) return bad_policy("no revocation lists in PEM");
        // An authority without a list could have revoked anything: its clients are refused.
        X509_STORE_set_flags(store.get(), X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    }
    X509_STORE_set_purpose(store.get(), X509_PURPOSE_SSL_CLIENT);
    store_ = std::move(store);
    return {};
}

Outcome<void> Authorities::check(X509 *certificate, STACK_OF(X509) * chain, int64_t now) const {
    const auto refused = [](const std::string &why) { return Fault{FaultTag::Unauthenticated, why}; };
    if (!store_) return refused("this server takes no certificates");
    const trust::StoreContext context(X509_STORE_CTX_new());
    if (X509_STORE_CTX_init(context.get(), store_.get(), certificate, chain) != 1) return refused(trust::last_error());
    if (now != 0) X509_STORE_CTX_set_time(context.get(), 0, now);
    if (X509_verify_cert(context.get()) == 1) return {};
    const std::string why = X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
    ERR_clear_error();
    return refused(why);
}

}  // namespace tapir::server
