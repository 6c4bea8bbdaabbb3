// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/features.h"

#include <set>

#include "build/versions.h"

namespace tapir::build {

// The compiler complains about an undeclared function once per file, so a test that calls one whose first complaint
// went to another test is found by name.
const std::string_view kFeatureAwk = R"awk(
FILENAME != log_file { FS = "\t"; n++; split($0, column, "\t"); name[n] = column[1]; body[n] = column[2]; test[column[1]] = n; next }
/ error: / {
	where = $0
	sub(/:.*/, "", where)
	if (!(where in test)) {
		print > "/dev/stderr"
		broken = 1
		next
	}
	failed[test[where]] = 1
	if (match($0, /(implicit declaration of|call to undeclared) function [^A-Za-z0-9_]+[A-Za-z0-9_]+/)) {
		missed = substr($0, RSTART, RLENGTH)
		sub(/.*[^A-Za-z0-9_]/, "", missed)
		missing[missed] = 1
	}
}
END {
	if (broken)
		exit 1
	print "/* Generated: what the headers of this kernel have. */"
	for (i = 1; i <= n; i++) {
		for (function_name in missing)
			if (match(" " body[i], "[^A-Za-z0-9_]" function_name "[(]"))
				failed[i] = 1
		print "#define " name[i] " " (i in failed ? 0 : 1)
	}
}
)awk";

std::vector<FeatureTest> parse_feature_list(std::string_view text) {
    std::vector<FeatureTest> tests;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        size_t first = line.find('\t');
        size_t second = first == std::string_view::npos ? first : line.find('\t', first + 1);
        if (line.starts_with('#') || second == std::string_view::npos) continue;
        FeatureTest test;
        test.name = line.substr(0, first);
        test.body = line.substr(second + 1);
        std::string_view headers = line.substr(first + 1, second - first - 1);
        while (!headers.empty()) {
            std::string_view header = headers.substr(0, headers.find(','));
            headers.remove_prefix(std::min(headers.size(), header.size() + 1));
            if (header.starts_with('+'))
                test.symbols.emplace_back(header.substr(1));
            else
                test.headers.emplace_back(header);
        }
        tests.push_back(std::move(test));
    }
    return tests;
}

std::string feature_source(const std::vector<FeatureTest> &tests, std::string_view symvers) {
    std::set<std::string, std::less<>> wanted;
    for (const FeatureTest &test : tests)
        wanted.insert(test.symbols.begin(), test.symbols.end());
    for (const target::Export &found : target::find_exports(symvers, wanted))
        wanted.erase(found.name);

    std::string text = "#include <linux/module.h>\n";
    std::set<std::string> seen;
    for (const FeatureTest &test : tests)
        for (const std::string &header : test.headers)
            if (seen.insert(header).second)
                text += "#if __has_include(<" + header + ">)\n#include <" + header + ">\n#endif\n";
    for (const FeatureTest &test : tests) {
        // Each test declares its own f.
        text += "#define f tapir_f_" + test.name + "\n";
        for (const std::string &header : test.headers)
            text +=
                "#if !__has_include(<" + header + ">)\n#line 1 \"" + test.name + "\"\n#error no such header\n#endif\n";
        for (const std::string &symbol : test.symbols)
            if (wanted.contains(symbol)) text += "#line 1 \"" + test.name + "\"\n#error not exported\n";
        text += "#line 1 \"" + test.name + "\"\n";
        text += "void tapir_feature_" + test.name + "(void); void tapir_feature_" + test.name + "(void) { " +
                test.body + " }\n";
        text += "#undef f\n";
    }
    return text;
}

std::string feature_table(const std::vector<FeatureTest> &tests) {
    std::string text;
    for (const FeatureTest &test : tests)
        text += test.name + "\t" + test.body + "\n";
    return text;
}

}  // namespace tapir::build
