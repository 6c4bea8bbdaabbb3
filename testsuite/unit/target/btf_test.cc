// SPDX-License-Identifier: GPL-2.0-or-later
// BTF is written by libbpf here, and read by BtfTypes.
#include "target/btf.h"

#include <bpf/btf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "btf_walk.h"
#include "btf_writer.h"

namespace tapir::target {
namespace {

using ctypes::Type;
using ctypes::TypeKind;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::unique_ptr<BtfTypes> read(const BtfWriter &writer, const BtfTypes *base = nullptr) {
    std::string error;
    auto types = BtfTypes::read(writer.blob(), error, base);
    EXPECT_EQ(error, "");
    return types;
}

std::string named(const BtfTypes &types, std::string_view name) {
    const auto id = types.find_type(name);
    return id ? ctypes::type_name({&types, *id}) : "none";
}

TEST(Btf, FindsTypesByNameAndKind) {
    BtfWriter writer;
    writer.sample();
    const auto types = read(writer);
    EXPECT_EQ(named(*types, "struct file"), "struct file");
    EXPECT_EQ(named(*types, "file"), "struct file");
    EXPECT_EQ(named(*types, "union file"), "none");
    EXPECT_EQ(named(*types, "long int"), "long int");
    EXPECT_EQ(named(*types, "loff_t"), "loff_t");
    EXPECT_EQ(named(*types, "enum whence"), "enum whence");
    // A name is shared by a typedef and a structure: the bare name is the typedef.
    EXPECT_EQ(types->info(*types->find_type("both")).kind, TypeKind::Typedef);
    EXPECT_EQ(types->info(*types->find_type("struct both")).kind, TypeKind::Struct);
    // Only declared.
    EXPECT_EQ(named(*types, "struct opaque"), "none");
    EXPECT_EQ(named(*types, ""), "none");
}

TEST(Btf, DescribesIntegers) {
    BtfWriter writer;
    writer.sample();
    const auto types = read(writer);
    const auto encoding = [&](std::string_view name) { return types->info(*types->find_type(name)).encoding; };
    EXPECT_EQ(encoding("long int"), ctypes::Encoding::Signed);
    EXPECT_EQ(encoding("unsigned int"), ctypes::Encoding::Unsigned);
    EXPECT_EQ(encoding("char"), ctypes::Encoding::SignedChar);
    EXPECT_EQ(encoding("_Bool"), ctypes::Encoding::Boolean);
    EXPECT_EQ(types->info(*types->find_type("long int")).size, 8u);
    EXPECT_EQ(types->info(*types->find_type("double")).kind, TypeKind::Float);
}

TEST(Btf, ReachesMembersThroughAnonymousUnionsAndBitFields) {
    BtfWriter writer;
    writer.sample();
    const auto types = read(writer);
    const Type file{types.get(), *types->find_type("struct file")};
    EXPECT_THAT(ctypes::member_names(file),
                ElementsAre("f_pos", "f_mode", "f_flags", "low", "high", "name", "owner", "next"));
    const auto place = [&](std::string_view name) {
        const auto found = ctypes::find_member(file, name);
        if (!found) return std::string("none");
        return ctypes::type_name(found->type) + " " + std::to_string(found->bit_offset) + ":" +
               std::to_string(found->bit_size);
    };
    EXPECT_EQ(place("f_pos"), "loff_t 0:0");
    EXPECT_EQ(place("f_mode"), "unsigned int 64:0");
    EXPECT_EQ(place("f_flags"), "unsigned int 64:0");
    EXPECT_EQ(place("low"), "unsigned int 96:3");
    EXPECT_EQ(place("high"), "unsigned int 99:29");
    EXPECT_EQ(place("name"), "char[16] 128:0");
    EXPECT_EQ(place("owner"), "struct opaque* 256:0");
    EXPECT_EQ(place("next"), "const struct file* 320:0");
    EXPECT_EQ(place("nothing"), "none");
    EXPECT_EQ(ctypes::type_size(file), 48u);
}

TEST(Btf, KnowsEnumerators) {
    BtfWriter writer;
    writer.sample();
    const auto types = read(writer);
    EXPECT_EQ(types->find_enumerator("SEEK_END"), 2);
    EXPECT_EQ(types->find_enumerator("NEGATIVE"), -7);
    EXPECT_EQ(types->find_enumerator("WIDE"), int64_t{1} << 40);
    EXPECT_EQ(types->find_enumerator("nothing"), std::nullopt);
    EXPECT_EQ(types->info(*types->find_type("enum whence")).encoding, ctypes::Encoding::Signed);
}

TEST(Btf, DescribesFunctions) {
    BtfWriter writer;
    writer.sample();
    const auto types = read(writer);
    const auto prototype = types->find_function("vfs_read");
    ASSERT_TRUE(prototype);
    EXPECT_EQ(ctypes::type_name({types.get(), *prototype}), "long int(struct file*, char*, unsigned int, loff_t*)");
    std::vector<std::string> names;
    for (const auto &parameter : types->named_parameters(*prototype))
        names.push_back(parameter.name);
    EXPECT_THAT(names, ElementsAre("file", "buf", "count", "pos"));
    // "..." is no parameter.
    EXPECT_EQ(types->named_parameters(*types->find_function("printk")).size(), 1u);
    EXPECT_THAT(types->functions_with_prefix("vfs_"), UnorderedElementsAre("read", "write"));
    EXPECT_FALSE(types->find_function("file"));
}

TEST(Btf, GoesOnWhereTheKernelEnds) {
    BtfWriter kernel;
    kernel.sample();
    const auto base = read(kernel);
    BtfWriter module(&kernel);
    module.module_sample();
    const auto types = read(module, base.get());
    ASSERT_TRUE(types);
    EXPECT_EQ(named(*types, "struct of_module"), "struct of_module");
    EXPECT_EQ(named(*types, "struct file"), "struct file");
    EXPECT_EQ(types->find_enumerator("SEEK_END"), 2);
    EXPECT_EQ(ctypes::type_name({types.get(), *types->find_function("module_function")}),
              "void(struct of_module*, struct file*)");
    EXPECT_EQ(named(*base, "struct of_module"), "none");
    std::string error;
    EXPECT_EQ(BtfTypes::read(module.blob(), error), nullptr);
    EXPECT_EQ(error, "its first string is not empty");
}

TEST(Btf, SaysWhatIsWrong) {
    BtfWriter writer;
    writer.sample();
    const std::string good = writer.blob();
    const auto why = [](std::string blob) {
        std::string error;
        EXPECT_EQ(BtfTypes::read(std::move(blob), error), nullptr);
        return error;
    };
    const auto changed = [&](size_t at, uint32_t value) {
        std::string blob = good;
        std::memcpy(blob.data() + at, &value, sizeof value);
        return why(blob);
    };
    const auto *header = reinterpret_cast<const btf_header *>(good.data());
    EXPECT_EQ(why(""), "it is shorter than its header");
    EXPECT_EQ(why(good.substr(0, 20)), "it is shorter than its header");
    EXPECT_EQ(why("x" + good), "it does not begin as BTF does");
    EXPECT_EQ(changed(0, 0x0007eb9f), "its version is unknown");
    EXPECT_EQ(changed(offsetof(btf_header, hdr_len), 8), "the length of its header is wrong");
    EXPECT_EQ(why(good.substr(0, good.size() - 1)), "it is cut off");
    EXPECT_EQ(changed(offsetof(btf_header, type_len), header->type_len + 4), "its types and strings overlap");
    EXPECT_EQ(changed(offsetof(btf_header, str_len), header->str_len - 1), "its last string has no end");
    EXPECT_EQ(changed(header->hdr_len + 4, 31u << 24), "type 1 is cut off, of an unknown kind, or one too many");
    EXPECT_EQ(changed(header->hdr_len, header->str_len), "type 1 refers to what is not there");
}

// A wrong byte or a missing end: BTF is refused, or read without harm.
TEST(Btf, IsSafeWhenDamaged) {
    BtfWriter writer;
    writer.sample();
    const std::string good = writer.blob();
    size_t accepted = 0;
    for (size_t at = 0; at < good.size(); ++at) {
        for (const int change : {0x01, 0x80, 0xff}) {
            std::string blob = good, error;
            blob[at] = static_cast<char>(blob[at] ^ change);
            if (const auto types = BtfTypes::read(std::move(blob), error)) {
                walk_all(*types);
                ++accepted;
            }
        }
        std::string error;
        EXPECT_EQ(BtfTypes::read(good.substr(0, at), error), nullptr);
    }
    EXPECT_GT(accepted, 0u);
}

}  // namespace
}  // namespace tapir::target
