// SPDX-License-Identifier: GPL-2.0-or-later
// Any records: all formats can be made of them, and nothing in a name gets out of its place.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/record_parser.h"
#include "report/cards.h"
#include "report/origin.h"
#include "report/owners.h"
#include "report/picture.h"
#include "report/trust.h"

using namespace tapir;

namespace {

size_t count(std::string_view text, std::string_view what) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find(what, at)) != std::string_view::npos; at += what.size())
        found++;
    return found;
}

// Checks the parts that a page has for any capture.
void check_page(std::string_view page) {
    if (count(page, "<script") != 3 || count(page, "</script>") != 3 || count(page, "</html>") != 1) abort();
}

void check_svg(std::string_view svg) {
    if (count(svg, "<script>") != 1 || count(svg, "]]>") != 1 || count(svg, "-->") != 1 || count(svg, "</svg>") != 1)
        abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    capture::Capture capture;
    capture::Parser parser(capture);
    if (!parser.block({reinterpret_cast<const char *>(data), size})) capture.damage = "it is damaged";
    parser.finish();
    // The reader has the same limit.
    if (parser.memory() > 1u << 24) return 0;
    report::FrameTable frames;
    const report::Profile profile = report::make_profile(capture, {}, frames);
    report::ProfileOptions options;
    options.by = {"comm", "tid"};
    options.by_count = options.lines = true;
    const report::Profile before = report::make_profile(capture, options, frames);
    const report::Quality &quality = profile.quality;
    for (const double percent : {quality.complete, quality.cut, quality.lost, quality.unnamed})
        if (!(percent >= 0 && percent <= 100.001)) abort();
    const report::Picture picture{frames, profile, &before};
    report::check_json(picture);
    report::render_text(picture, capture, {80, true});
    // With any content, cards have all parts, and each frame has an owner.
    const std::vector<report::Owner> owners = report::owners_of(picture);
    if (owners.size() != frames.size()) abort();
    const report::CallTree tree = report::make_tree(profile, &before, frames);
    int64_t sum = 0;
    for (const report::Card &card : report::make_cards(tree, frames, owners))
        sum += card.value;
    if (sum != profile.total) abort();
    for (const std::string &line : report::origin_lines(picture))
        if (line.size() > 8192) abort();
    check_page(report::render_page({frames, profile, &before}));
    check_svg(report::render_svg({frames, profile, &before}));
    for (const char *name : {"folded", "pprof", "speedscope", "chrome", "firefox"})
        report::find_format(name)->render({frames, profile});
    return 0;
}
