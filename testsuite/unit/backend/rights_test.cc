// SPDX-License-Identifier: GPL-2.0-or-later
#include "backend/rights.h"

#include <gtest/gtest.h>

namespace tapir::driver {
namespace {

using machine::Answer;

class Rights : public testing::Test {
  protected:
    // Returns the complaint about the rights; "" if there is none.
    std::string said(bool from_server = false) const {
        Diagnostics diagnostics;
        const bool good = may_run(facts_, loader_, from_server, diagnostics);
        EXPECT_NE(good, diagnostics.has_errors());
        return render_all(diagnostics, true);
    }
    static std::string error(const std::string &why) {
        return "ERROR: " + why + "; -p4 builds the script only, and --vm runs it in a virtual machine\n";
    }
    machine::Facts facts_;
    LoaderRights loader_;
};

TEST_F(Rights, WhatIsNotKnownStandsInNobodysWay) {
    EXPECT_EQ(said(), "");
    facts_.may_load = Answer::Yes;
    EXPECT_EQ(said(), "");
}

TEST_F(Rights, ThisKernelTakesNone) {
    facts_.may_load = Answer::Yes;
    facts_.modules_disabled = true;
    EXPECT_EQ(said(), error("this kernel loads no modules until it is booted again (kernel.modules_disabled is 1)"));
    facts_.takes_modules = false;
    EXPECT_EQ(said(), error("this kernel is built without loadable modules (CONFIG_MODULES)"));
}

TEST_F(Rights, RightsMissing) {
    facts_.may_load = facts_.is_root = Answer::No;
    EXPECT_EQ(said(), error("only root may load modules: run as root, as with sudo"));
    facts_.is_root = Answer::Yes;
    Diagnostics diagnostics;
    EXPECT_FALSE(may_run(facts_, loader_, false, diagnostics));
    EXPECT_EQ(render_all(diagnostics, true),
              "ERROR: this process may not load modules, as in a container or without the capability CAP_SYS_MODULE: "
              "run on the host, or in a container that was given the capability; -p4 builds the script only, and --vm "
              "runs it in a virtual machine\n");
}

TEST_F(Rights, MembersOfGroupsRunWhatStaprunAdmits) {
    facts_.may_load = facts_.is_root = Answer::No;
    loader_.set_user_id = true;
    EXPECT_EQ(said(), error("only root and members of the groups stapusr and stapdev run scripts that are built here: "
                            "run as root, or ask the administrator to add you to both and log in again"));
    // staprun asks for both.
    loader_.in_stapdev = true;
    EXPECT_NE(said(), "");
    loader_.in_stapdev = false;
    loader_.in_stapusr = true;
    EXPECT_EQ(said(),
              error("members of the group stapusr run only modules that are signed or approved: have the script "
                    "built by a build server (--use-server), or ask the administrator to add you to stapdev"));
    EXPECT_EQ(said(true), "");
    loader_.in_stapdev = true;
    EXPECT_EQ(said(), "");
}

}  // namespace
}  // namespace tapir::driver
