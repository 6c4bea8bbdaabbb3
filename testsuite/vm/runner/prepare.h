// SPDX-License-Identifier: GPL-2.0-or-later
// The steps on the host before a case runs.
#pragma once

#include <string>
#include <vector>

#include "case.h"

namespace tapir::guest_tests {

struct Places {
    std::string source;    // areas are folders of it: testsuite/vm
    std::string library;   // lib.sh
    std::string bin;       // build/bin
    std::string work;      // one folder per case below it; the guest may write there
    std::string release;   // kernel
    std::string tree;      // what modules for it are built with
    bool records = false;  // sessions run with --format=json, and what they print is made of the records
};

// A case that is ready to run, or why it does not.
struct Prepared {
    Case test;
    std::string directory;  // its own below Places::work
    std::string command;    // path of the script for the guest's bash
    std::string failure, skip;
};

// Makes the case's folder, translates its scripts for the kernel and runs its host commands.
Prepared prepare_case(const Case &test, const Places &places);

// With Places::records: checks the records of a case that has run, in its folder. If they do not tell all of the text
// that it has seen, `whole` is false. Returns "" or what is wrong with them.
std::string check_records(const Prepared &prepared, const Places &places, bool &whole);

}  // namespace tapir::guest_tests
