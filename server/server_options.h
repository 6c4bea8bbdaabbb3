// SPDX-License-Identifier: GPL-2.0-or-later
// The command line and the configuration file of stap-server.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "server/sandbox.h"
#include "trust/sign.h"

namespace tapir::server {

struct Options {
    enum class Action : uint8_t { Serve, AddKernel, ListKernels, NewToken, AddDebug, Help, Version };
    Action action = Action::Serve;

    std::vector<std::string> kernels;  // --add-kernel: a directory, a release, or packages
    std::string build_id;
    std::vector<std::string> debug_files;  // --add-debug: packages, directories, files
    std::string token_name;

    std::string state = "/var/lib/tapir-server";
    std::string user;  // "": tapir-server if that user exists, else the user nobody; only for root
    std::string stap;  // "": beside this program
    std::string address = "::";
    uint16_t port = 8443;
    std::string certificate, key;
    std::string client_ca, client_crl, tokens, policy;
    trust::SignerFiles signer, kernel_signer;
    std::string kernel_digest = "sha256";
    trust::Audience audience = trust::Audience::System;
    unsigned sign_days = 30;
    std::map<std::string, std::string> tapset_sets;
    std::string audit_log;
    unsigned jobs = 0;  // 0: as many as there are processors
    unsigned queue = 64;
    unsigned queue_per_client = 0;  // 0: half of them
    unsigned cache_mb = 1024, body_mb = 4, upload_mb = 1024, unpacked_mb = 2048;
    unsigned debug_file_mb = 4096, debug_minute_mb = 8192, debug_minute_requests = 600;
    unsigned header_s = 10, body_s = 60, grace_s = 30;
    int connections = 8192, connections_per_address = 64;
    std::vector<std::string> balancers;
    Limits limits;
};

// Else Misuse. Options of the command line go before those of the file.
Outcome<void> parse_options(const std::vector<std::string> &args, Options &out);
std::string help_text();

}  // namespace tapir::server
