// SPDX-License-Identifier: GPL-2.0-or-later
// C of scripts that names what it cannot have.
#include <fstream>
#include <regex>
#include <set>

#include "pass2.h"
#include "testsuite/trees.h"

namespace tapir::resolve {
namespace {

// Names of SystemTap's runtime that C cannot have here, at their place in it.
TEST(ResolveMessages, EmbeddedName) {
    Pass2 pass;
    pass.options.guru = true;
    pass.elaborate(
        {"global n\n"
         "function f:long(a:long) %{ /* pragma:read:n */ /* _stp_map_get() */\n"
         "  const char *_stp_own = \"_stp_map_get\"; STAP_RETVALUE = STAP_ARG_b + _stp_map_get(_stp_own);\n"
         "  STAP_GLOBAL_SET_n(STAP_GLOBAL_GET_n() + 1); if (CONTEXT->kregs) STAP_RETURNS(3);\n"
         "%}\n"
         "probe begin { n = 1; println(f(n)); %{ STAP_NEXT; %} }"});
    EXPECT_EQ(pass.reported(),
              "semantic error: function f has no parameter 'b' (it has: a): identifier 'STAP_ARG_b' at <input>:3:58\n"
              "        source:   const char *_stp_own = \"_stp_map_get\"; STAP_RETVALUE = STAP_ARG_b + "
              "_stp_map_get(_stp_own);\n"
              "                                                                         ^\n"
              "\n"
              "semantic error: '_stp_map_get' is of SystemTap's runtime, and this one has no such name: "
              "STAP_GLOBAL_GET_name() and STAP_GLOBAL_SET_name() reach the script's arrays: identifier "
              "'_stp_map_get' at :3:71\n"
              "        source:   const char *_stp_own = \"_stp_map_get\"; STAP_RETVALUE = STAP_ARG_b + "
              "_stp_map_get(_stp_own);\n"
              "                                                                                      ^\n"
              "\n"
              "semantic error: STAP_GLOBAL_SET_n needs the comment /* pragma:write:n */ in the same piece of C: "
              "identifier 'STAP_GLOBAL_SET_n' at :4:3\n"
              "        source:   STAP_GLOBAL_SET_n(STAP_GLOBAL_GET_n() + 1); if (CONTEXT->kregs) STAP_RETURNS(3);\n"
              "                  ^\n"
              "\n"
              "semantic error: CONTEXT has no 'kregs', which is of SystemTap's runtime: CONTEXT->regs is the struct "
              "pt_regs of the hit or NULL, and user_mode() of the script tells whose: identifier 'CONTEXT' at :4:51\n"
              "        source:   STAP_GLOBAL_SET_n(STAP_GLOBAL_GET_n() + 1); if (CONTEXT->kregs) STAP_RETURNS(3);\n"
              "                                                                  ^\n"
              "\n"
              "semantic error: there is no 'STAP_RETURNS' (similar: STAP_RETURN): identifier 'STAP_RETURNS' at :4:67\n"
              "        source:   STAP_GLOBAL_SET_n(STAP_GLOBAL_GET_n() + 1); if (CONTEXT->kregs) STAP_RETURNS(3);\n"
              "                                                                                  ^\n"
              "\n"
              "semantic error: STAP_NEXT is for functions of embedded C: this is not one: identifier 'STAP_NEXT' at "
              ":6:40\n"
              "        source: probe begin { n = 1; println(f(n)); %{ STAP_NEXT; %} }\n"
              "                                                       ^\n"
              "\n");
}

TEST(EmbeddedNames, ModulesDescribeThemselves) {
    Pass2 pass;
    pass.options.guru = true;
    pass.elaborate({"%{\nMODULE_INFO(author, \"tapir_abi\");\nMODULE_INFO(tapir_abi, \"9\");\n%}\nprobe begin { }"});
    EXPECT_EQ(pass.reported(),
              "semantic error: 'tapir_abi' is what the module says to staprun of itself, and a script cannot say it: "
              "identifier 'tapir_abi' at <input>:3:13\n"
              "        source: MODULE_INFO(tapir_abi, \"9\");\n"
              "                            ^\n"
              "\n");
}

// Names that the runtime's headers define for such C are no errors.
TEST(EmbeddedNames, OfTheRuntimesHeadersAreThere) {
    std::set<std::string> names;
    const std::regex define("#define (_stp_\\w+)");
    for (const char *header : {"/runtime/include/tapir/embed_compat.h", "/kmod/compat/embedded.h"}) {
        std::ifstream file(source_dir() + header);
        for (std::string line; std::getline(file, line);)
            if (std::smatch match; std::regex_search(line, match, define)) names.insert(match[1]);
    }
    EXPECT_GT(names.size(), 15u);
    std::string c;
    for (const std::string &name : names)
        c += "use(" + name + "); ";
    Pass2 pass;
    pass.options.guru = true;
    pass.elaborate({"probe begin { %{ " + c + " %} }"});
    EXPECT_EQ(pass.reported(), "");
}

}  // namespace
}  // namespace tapir::resolve
