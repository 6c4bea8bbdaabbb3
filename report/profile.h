// SPDX-License-Identifier: GPL-2.0-or-later
// A capture as pictures need it: named frames, stacks from the root on, weights, and what is wrong with them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/capture_reader.h"

namespace tapir::report {

// The kind of code that a frame is of.
enum class Origin : uint8_t {
    Program,
    Kernel,
    Script,  // of an interpreter
    Mark,    // no code: where a stack is not complete, or a label
};

// One box of a picture. Code with the same name in the same object is one frame.
struct FrameText {
    std::string name;    // valid UTF-8 without control characters, never empty
    std::string object;  // the same; path of the program or library, "kernel", or a kernel module's name; may be ""
    std::string file;    // the same; of the source, "" = not known
    uint32_t line = 0;   // the least that was seen; 0 = not known
    Origin origin = Origin::Program;
    bool resolved = true;  // false: it has no name, `name` tells where it is
    bool inlined = false;
};

class FrameTable {
  public:
    uint32_t number(FrameText frame);
    const FrameText &operator[](uint32_t number) const { return frames_[number]; }
    size_t size() const { return frames_.size(); }

  private:
    std::vector<FrameText> frames_;
    std::unordered_map<std::string, uint32_t> numbers_;
};

struct Thread {
    int64_t pid = 0, tid = 0;  // 0: not known
    std::string comm;          // valid UTF-8, or ""
    std::string text() const;
};

// A stack and how much of the value it has.
struct Row {
    std::span<const uint32_t> frames;  // of the FrameTable, the root first; never empty; in Profile::stacks
    uint64_t count = 0;
    int64_t value = 0;    // what pictures show; more than 0
    uint32_t thread = 0;  // of Profile::threads
    uint32_t label = 0;   // of Profile::labels; 0: none
    uint64_t time = 0;    // nanoseconds since the start, of a single sample; 0 = not kept
};

// Why the picture is not the whole truth.
struct Cause {
    std::string text;    // "stacks: cut at the limit of frames"
    std::string hint;    // what to do about it, or ""
    double percent = 0;  // of what should be in the picture
};

// Frames without a name, by the file that they are in.
struct Nameless {
    std::string object;  // as FrameText has it; "" where there is no file
    std::string text;    // "in /usr/lib/libc.so.6"
    double percent = 0;  // of the width of all boxes
};

// How far a picture can be trusted. `complete`, `cut` and `lost` are percentages of what should be in the picture, and
// make 100 together. Names are another matter: what has none may still be complete.
struct Quality {
    double complete = 100;           // in stacks that go to their root
    double cut = 0;                  // in stacks that end before it
    double lost = 0;                 // hits that were skipped, and what there was no room for
    double unnamed = 0;              // of the width of all boxes: without a name
    uint64_t taken = 0;              // samples
    uint64_t wanted = 0;             // by the clock; 0: there was none
    uint64_t negative = 0;           // samples of stacks whose sum is 0 or less: no picture can show them
    int64_t negative_sum = 0;        // their sum
    std::vector<Cause> causes;       // of what is cut or lost, the largest first
    std::vector<Nameless> nameless;  // the largest first
    std::string damage;              // the capture is not sealed, for this reason; "": it is
};

struct Profile {
    Profile() = default;
    // Rows of a copy would have frames of the original.
    Profile(const Profile &) = delete;
    Profile &operator=(const Profile &) = delete;
    Profile(Profile &&) = default;
    Profile &operator=(Profile &&) = default;

    std::string title;     // valid UTF-8
    std::string unit;      // of values
    bool counted = false;  // values are counts, because somebody asked for them
    capture::Meta meta;
    std::vector<std::string> own, match;               // as ProfileOptions has them
    double min_quality = 95;                           // the same
    std::map<std::vector<uint32_t>, uint32_t> stacks;  // what rows consist of, each once, with a number
    std::vector<Row> rows;
    std::vector<Thread> threads;             // at least one
    std::vector<std::string> labels = {""};  // those that scripts give, which are outermost frames, too
    int64_t total = 0;                       // of all rows' values
    uint64_t count = 0;
    uint64_t hits = 0;     // of the script's probes
    bool samples = false;  // the script takes some
    uint64_t from = 0;     // as ProfileOptions has it
    bool timed = false;    // rows have times
    uint64_t untimed = 0;  // samples that have none, if others have
    Quality quality;
    std::vector<std::string> notes;  // warnings and errors of the session
};

struct ProfileOptions {
    bool mangled = false;
    bool native = false;             // frames of interpreters beside those of the language that they run
    bool lines = false;              // places of one function with different lines are different frames
    bool by_count = false;           // values are counts, even if there are sums
    std::vector<std::string> by;     // labels that become the outermost frames
    uint64_t from = 0;               // nanoseconds since the start: without earlier samples
    std::string title;               // "": the capture's
    std::vector<std::string> own;    // patterns of files that are the program's own (owners.h)
    std::vector<std::string> match;  // regular expressions of functions and files whose shares are wanted (shares.h)
    double min_quality = 95;         // percent that are to be complete
};

// Text that may be shown: control characters, marks that reorder text, what is not UTF-8, and what no XML file may have
// become U+FFFD.
std::string clean(std::string_view text);

// The last part of a path. Of "/usr/bin/" it is all.
std::string base_name(const std::string &path);

Profile make_profile(const capture::Capture &capture, const ProfileOptions &options, FrameTable &frames);

// "85.1 % complete, 14.9 % cut, 0 % lost; 3.2 % without a name"
std::string quality_text(const Quality &quality);

// The lines on quality in the head of every format, without line ends; none ends in a number.
std::vector<std::string> quality_lines(const Profile &profile);

// Why a picture of this quality is not good enough, with what to do; "" if it is.
std::string quality_complaint(const Quality &quality, double min_percent);

// "12.3 %", "0.04 %"
std::string percent_text(double percent);

}  // namespace tapir::report
