// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a fuzzer's function on the files named, and on those in the directories named: without libFuzzer, whose options
// mean nothing here.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace fs = std::filesystem;

int main(int argc, char **argv) {
    std::vector<fs::path> files;
    for (const std::string &word : std::vector<std::string>(argv + 1, argv + argc)) {
        if (word.starts_with('-')) continue;
        if (fs::is_directory(word))
            files.insert(files.end(), fs::directory_iterator(word), fs::directory_iterator());
        else
            files.emplace_back(word);
    }
    for (const fs::path &file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        if (!in) {
            std::fprintf(stderr, "%s cannot be read\n", file.c_str());
            return 1;
        }
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size());
    }
    std::printf("%zu seeds\n", files.size());
    return files.empty();
}
