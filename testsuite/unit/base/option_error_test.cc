// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/option_error.h"

#include <gtest/gtest.h>

#include <boost/program_options.hpp>
#include <sstream>

namespace tapir {
namespace {

namespace po = boost::program_options;

po::options_description options() {
    po::options_description known;
    known.add_options()("port", po::value<int>())("path", po::value<std::string>())("e,e", po::value<std::string>());
    return known;
}

std::string error_of_words(const std::vector<std::string> &words) {
    po::variables_map values;
    try {
        const po::options_description known = options();
        po::store(po::command_line_parser(words).options(known).run(), values);
    } catch (const po::error &error) {
        return option_error_text(error);
    }
    return "";
}

std::string error_of_file(const std::string &text) {
    try {
        std::istringstream in(text);
        po::parse_config_file(in, options());
    } catch (const po::error &error) {
        return option_error_text(error);
    }
    return "";
}

TEST(OptionError, SaysWhatBoostSays) {
    EXPECT_EQ(error_of_words({"--prot", "5"}), "unrecognised option '--prot'");
    EXPECT_EQ(error_of_words({"--p", "5"}), "option '--p' is ambiguous and matches '--path', and '--port'");
    EXPECT_EQ(error_of_words({"--port", "x"}), "the argument ('x') for option '--port' is invalid");
    EXPECT_EQ(error_of_file("prot = 5\n"), "unrecognised option 'prot'");
    EXPECT_EQ(error_of_file("port\n"), "the options configuration file contains an invalid line 'port'");
}

TEST(OptionError, NamesOptionsOfOneLetterAsTheyAreTyped) {
    EXPECT_EQ(error_of_words({"-e"}), "the required argument for option '-e' is missing");
    EXPECT_EQ(error_of_words({"--path"}), "the required argument for option '--path' is missing");
}

TEST(OptionError, EndsWhenTheUserWritesPlaceholders) {
    EXPECT_EQ(error_of_words({"--%canonical_option%"}), "unrecognised option '--%canonical_option%'");
    EXPECT_EQ(error_of_words({"--port", "%value%"}), "the argument ('%value%') for option '--port' is invalid");
    EXPECT_EQ(error_of_words({"--port", "%option%%value%"}),
              "the argument ('%option%%value%') for option '--port' is invalid");
    EXPECT_EQ(error_of_file("%canonical_option% = 5\n"), "unrecognised option '%canonical_option%'");
    EXPECT_EQ(error_of_file("%invalid_line%\n"),
              "the options configuration file contains an invalid line '%invalid_line%'");
}

}  // namespace
}  // namespace tapir
