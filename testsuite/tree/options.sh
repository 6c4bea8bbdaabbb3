#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# options.sh SOURCE: devel/check-options finds each option that no test names, in each form of table. Test Anything Protocol.
set -u
. "$1/testsuite/tree/lib.sh" "$1" check-options || exit 2
# The names are put together, so that this file names none.
d=--
tree() {
    rm -rf translator process report server staprun trust testsuite devel
    file translator/options/option_table.cc <<'EOF'
    options.add_options()("alpha,a", "one");
    options.add_options()(",b", "a short one");
    options.add_options()(
        "beta", text("N"), "two");
    described.add_options()("unlisted", po::value<std::string>());
    all.add(known).add_options()("input", po::value(&inputs));
EOF
    file trust/sign_main.cc <<<'{"gamma", required_argument, nullptr, kGamma}, {nullptr, 0, nullptr, 0}};'
    file translator/vm/vm_options.cc <<<'    {"--delta", "-d", "N", "three",'
    file translator/docs_main.cc <<<'        if (args[i] == "--epsilon")
            x = true;
        else if (value("--zeta", settings.zeta))'
    file testsuite/all.sh <<<"run ${d}alpha=1 ${d}beta ${d}gamma ${d}delta; ${d}epsilon '${d}zeta'"
}

tree
run
expect 'options that are all named' 'status 0'

file testsuite/all.sh <<<"run ${d}alpha-more ${d}betas -gamma delta alpha ${d}${d}beta"
run
expect 'options that are not' "translator/docs_main.cc: no test names stap-docs ${d}epsilon
translator/docs_main.cc: no test names stap-docs ${d}zeta
translator/options/option_table.cc: no test names stap ${d}alpha
translator/options/option_table.cc: no test names stap ${d}beta
translator/vm/vm_options.cc: no test names stap-vm ${d}delta
trust/sign_main.cc: no test names stap-sign ${d}gamma
status 1"

tree
file testsuite/all.sh <<<"run ${d}alpha ${d}gamma ${d}delta ${d}epsilon ${d}zeta"
file devel/untested-options.list <<<"# a comment
stap ${d}beta: the reason"
run
expect 'an exception' 'status 0'

file devel/untested-options.list <<<"stap ${d}beta
stap ${d}alpha: not needed
stap ${d}gone: not there"
run
expect 'exceptions that are wrong' "devel/untested-options.list: 'stap ${d}beta' has no reason
devel/untested-options.list: a test names stap ${d}alpha
devel/untested-options.list: there is no stap ${d}gone
status 1"

tree
file trust/sign_main.cc <<<'another form of table'
run
expect 'a table that is not read' 'trust/sign_main.cc: no options of stap-sign were found
status 1'

echo "1..$number"
[ "$failed" = 0 ]
