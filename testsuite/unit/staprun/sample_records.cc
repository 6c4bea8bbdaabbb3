// SPDX-License-Identifier: GPL-2.0-or-later
// Records of samples: the whole lines, from a capture.
#include "sample_records.h"

#include <gtest/gtest.h>

#include "common/files.h"
#include "fake.h"
#include "testsuite/trees.h"

namespace tapir::staprun {
namespace {

class StaprunSampleRecords : public testing::Test {
  protected:
    StaprunSampleRecords() {
        capture.meta.title = "waits";
        capture.meta.unit = "ns";
        capture.meta.clock = "soft";
        capture.meta.hz = 997;
        capture.meta.started = 1'000'000;
        capture.objects[7] = {7, "/usr/bin/a\"b", "0123ab", 0x1000};
        using enum capture::FrameKind;
        const std::vector<capture::Frame> frames = {{Kernel, 0, 0, 0xffffffff81000010, ""},
                                                    {File, capture::kFrameCalled, 7, 0x1234, ""},
                                                    {Memory, 0, 42, 0x7f0000001000, ""},
                                                    {Text, 0, 0, 0, "x.py:f"}};
        add_stack({8, capture::End::Complete, capture::End::Cut, frames});
        add_stack({9, capture::End::None, capture::End::TableFull, {}});
        add_stack({capture::kNoStack, capture::End::None, capture::End::None, {}});
        capture.names[capture::key_of(frames[0])] = {{"schedule", "", 0, 0}};
        capture.names[capture::key_of(frames[1])] = {{"_ZN2ns4workEv", "", 0, 0}};
        capture.samples = {{8, 9, 1, -5, 17, {{"pid", "", 42}, {"tid", "", 43}, {"cpu", "", 3}, {"comm", "a", 0}}},
                           {8, 0, 4, 40, 0, {{"label", "read", 0}}},
                           {capture::kNoStack, 0, 2, 2, 0, {}}};
    }
    void add_stack(const capture::Stack &stack) {
        capture.stack_by_id[stack.id] = capture.stacks.size();
        capture.stacks.push_back(stack);
    }
    std::string records(KernelPlaces places, bool mangled) {
        FakeControl control;
        FakeEvents events;
        const std::string path = directory.path() + "/out";
        Output output(OutputSettings{path, false, 0, 0}, [](int) { return true; });
        EXPECT_TRUE(output.open());
        Messages messages([](std::string_view) {});
        TargetCommand target;
        ShellCommands shell;
        ModuleStream::Parts parts{control, events, output, messages, target, shell};
        parts.form = TAPIR_FORM_JSON;
        ModuleStream session(parts, 1, 0, [] {});
        add_samples(session, capture, places, mangled);
        output.flush();
        std::string text = *read_file(path);
        return text.substr(text.find('\n') + 1);  // without meta
    }

    capture::Capture capture;
    TemporaryDirectory directory{*make_directory(temporary_root(), "tapir-samples")};
};

TEST_F(StaprunSampleRecords, AreWhatTheCaptureHas) {
    const std::string expected =
        R"json({"v":1,"type":"profile","t":0,"title":"waits","unit":"ns","clock":"soft","hz":997,"samples":7}
{"v":1,"type":"stack","t":0,"stack":8,"kernel_end":"complete","user_end":"cut at the limit of frames","frames":[{"in":"kernel","name":"schedule","address":18446744071578845200},{"in":"file","name":"ns::work()","object":"/usr/bin/a\"b","build_id":"0123ab","offset":4660,"returns":true},{"in":"memory","pid":42,"address":139637976731648},{"in":"text","text":"x.py:f"}]}
{"v":1,"type":"stack","t":0,"stack":9,"user_end":"stack table full","frames":[]}
{"v":1,"type":"sample","t":0,"stack":8,"waker":9,"count":1,"sum":-5,"time":1000017,"pid":42,"tid":43,"at_cpu":3,"comm":"a"}
{"v":1,"type":"sample","t":0,"stack":8,"count":4,"sum":40,"label":"read"}
{"v":1,"type":"sample","t":0,"count":2,"sum":2}
)json";
    EXPECT_EQ(expected, records(KernelPlaces::Addresses, false));
}

TEST_F(StaprunSampleRecords, PlacesOfTheKernelStayHidden) {
    const std::string text = records(KernelPlaces::Numbers, true);
    EXPECT_NE(std::string::npos, text.find(R"({"in":"kernel","name":"schedule"},)")) << text;
    EXPECT_NE(std::string::npos, text.find(R"("name":"_ZN2ns4workEv")")) << text;
}

TEST_F(StaprunSampleRecords, LostSumsAreCounted) {
    capture.losses[static_cast<size_t>(capture::Loss::Overflow)] = 3;
    const std::string text = records(KernelPlaces::Addresses, false);
    EXPECT_NE(std::string::npos, text.find(R"("samples":7,"overflowed":3})")) << text;
}

}  // namespace
}  // namespace tapir::staprun
