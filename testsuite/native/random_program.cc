// SPDX-License-Identifier: GPL-2.0-or-later
#include "random_program.h"

#include "random_generator.h"

namespace tapir::native {

RandomScript random_script(uint64_t seed, int programs) {
    Generator generator(seed);
    Functions functions = generator.functions();
    Evaluator evaluator(functions);
    RandomScript script;
    script.text = "global g0 = 0, g1 = 0, g2 = 0, h0 = \"\", h1 = \"\", a, b, c, d, e%[4], s, r, u\n" + show(functions);
    std::string shown;
    for (const char *name : kShown)
        shown += std::string(shown.empty() ? "" : ", \" \", ") + name;
    for (int i = 0; i < programs; i++) {
        NodePtr program = generator.program();
        script.text += "probe begin(" + std::to_string(i) + ") {\nl0 = 0; l1 = 0; l2 = 0; t0 = \"\"; t1 = \"\";\ntry " +
                       show(*program) + " catch (failure) { println(\"! \", failure) }\nprintln(" + shown +
                       ", \" \")\n}\n";
        evaluator.run(*program);
    }
    // Gives every global a type, even those that no program uses.
    script.text +=
        "probe end { a[0] = 0; b[\"\"] = 0; c[0, \"\"] = \"\"; d[0, \"\", 0] = 0; e[0] = 0; s <<< 0; r <<< 0; u[0] <<< "
        "0 }\n";
    script.expected = evaluator.out;
    return script;
}

}  // namespace tapir::native
