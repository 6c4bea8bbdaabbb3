// SPDX-License-Identifier: GPL-2.0-or-later
#include "btf_writer.h"

#include <bpf/btf.h>

namespace tapir::target {

BtfWriter::BtfWriter(const BtfWriter *base) : btf_(base ? btf__new_empty_split(base->btf_) : btf__new_empty()) {}
BtfWriter::~BtfWriter() {
    btf__free(btf_);
}

std::string BtfWriter::blob() const {
    uint32_t size = 0;
    const void *data = btf__raw_data(btf_, &size);
    return {static_cast<const char *>(data), size};
}

void BtfWriter::sample() {
    long_ = btf__add_int(btf_, "long int", 8, BTF_INT_SIGNED);
    unsigned_ = btf__add_int(btf_, "unsigned int", 4, 0);
    char_ = btf__add_int(btf_, "char", 1, 0);
    bool_ = btf__add_int(btf_, "_Bool", 1, BTF_INT_BOOL);
    double_ = btf__add_float(btf_, "double", 8);
    loff_ = btf__add_typedef(btf_, "loff_t", long_);
    sample_structures();
    sample_functions();
}

void BtfWriter::sample_structures() {
    btf__add_enum(btf_, "whence", 4);
    btf__add_enum_value(btf_, "SEEK_SET", 0);
    btf__add_enum_value(btf_, "SEEK_END", 2);
    btf__add_enum_value(btf_, "NEGATIVE", -7);
    btf__add_enum64(btf_, "wide", 8, false);
    btf__add_enum64_value(btf_, "WIDE", uint64_t{1} << 40);
    const int opaque = btf__add_fwd(btf_, "opaque", BTF_FWD_STRUCT);
    const int opaque_pointer = btf__add_ptr(btf_, opaque);
    const int name = btf__add_array(btf_, unsigned_, char_, 16);
    const int modes = btf__add_union(btf_, nullptr, 4);
    btf__add_field(btf_, "f_mode", unsigned_, 0, 0);
    btf__add_field(btf_, "f_flags", unsigned_, 0, 0);
    // A structure that points to a constant one of its kind, the pointer with an attribute.
    const int next_id = static_cast<int>(btf__type_cnt(btf_));
    const int constant = btf__add_const(btf_, next_id + 3);
    const int tagged = btf__add_type_tag(btf_, "rcu", constant);
    const int next = btf__add_ptr(btf_, tagged);
    file_ = btf__add_struct(btf_, "file", 48);
    btf__add_field(btf_, "f_pos", loff_, 0, 0);
    btf__add_field(btf_, nullptr, modes, 64, 0);
    btf__add_field(btf_, "low", unsigned_, 96, 3);
    btf__add_field(btf_, "high", unsigned_, 99, 29);
    btf__add_field(btf_, "name", name, 128, 0);
    btf__add_field(btf_, "owner", opaque_pointer, 256, 0);
    btf__add_field(btf_, "next", next, 320, 0);
    file_pointer_ = btf__add_ptr(btf_, file_);
    btf__add_typedef(btf_, "both", long_);
    btf__add_struct(btf_, "both", 8);
    btf__add_field(btf_, "number", long_, 0, 0);
    btf__add_struct(btf_, "large", 24);
    btf__add_field(btf_, "numbers", btf__add_array(btf_, unsigned_, long_, 3), 0, 0);
}

void BtfWriter::sample_functions() {
    const int char_pointer = btf__add_ptr(btf_, char_);
    const int loff_pointer = btf__add_ptr(btf_, loff_);
    const int void_pointer = btf__add_ptr(btf_, 0);
    const int read = btf__add_func_proto(btf_, long_);
    btf__add_func_param(btf_, "file", file_pointer_);
    btf__add_func_param(btf_, "buf", char_pointer);
    btf__add_func_param(btf_, "count", unsigned_);
    btf__add_func_param(btf_, "pos", loff_pointer);
    btf__add_func(btf_, "vfs_read", BTF_FUNC_STATIC, read);
    btf__add_func(btf_, "vfs_write", BTF_FUNC_GLOBAL, read);
    const int print = btf__add_func_proto(btf_, 0);
    btf__add_func_param(btf_, "format", char_pointer);
    btf__add_func_param(btf_, nullptr, 0);
    btf__add_func(btf_, "printk", BTF_FUNC_GLOBAL, print);
    const int trace = btf__add_func_proto(btf_, unsigned_);
    btf__add_func_param(btf_, "__data", void_pointer);
    btf__add_func_param(btf_, "on", bool_);
    btf__add_func_param(btf_, "file", file_pointer_);
    btf__add_func(btf_, "__traceiter_file_opened", BTF_FUNC_GLOBAL, trace);
}

void BtfWriter::module_sample() {
    const int file = btf__find_by_name_kind(btf_, "file", BTF_KIND_STRUCT);
    const int file_pointer = btf__add_ptr(btf_, file);
    const int own = btf__add_struct(btf_, "of_module", 8);
    btf__add_field(btf_, "its_file", file_pointer, 0, 0);
    const int own_pointer = btf__add_ptr(btf_, own);
    const int function = btf__add_func_proto(btf_, 0);
    btf__add_func_param(btf_, "own", own_pointer);
    btf__add_func_param(btf_, "file", file_pointer);
    btf__add_func(btf_, "module_function", BTF_FUNC_STATIC, function);
    const int void_pointer = btf__add_ptr(btf_, 0);
    const int trace = btf__add_func_proto(btf_, 0);
    btf__add_func_param(btf_, "__data", void_pointer);
    btf__add_func_param(btf_, "own", own_pointer);
    btf__add_func(btf_, "__traceiter_module_event", BTF_FUNC_GLOBAL, trace);
}

}  // namespace tapir::target
