// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/cfi.h"

#include "unwind/cfi_program.h"

namespace tapir::unwind {

bool CfiSection::read_entry(uint64_t at, Entry &entry) const {
    Bytes in(content_);
    in.seek(at);
    uint64_t length = in.u32();
    // A zero terminates .eh_frame; linkers may put more behind it, though nothing reads that.
    if (in.failed() || length == 0) return false;
    entry = {};
    entry.at = at;
    if (length == 0xffffffff) {
        entry.wide = true;
        length = in.u64();
    }
    if (in.failed() || length > in.size() - in.at()) return false;
    entry.next = in.at() + length;
    entry.id_at = in.at();
    Bytes body(content_.substr(in.at(), length));
    // In .eh_frame the field has four bytes in either format.
    entry.id = entry.wide && !eh_ ? body.u64() : body.u32();
    if (body.failed()) return false;
    entry.content = content_.substr(in.at() + body.at(), length - body.at());
    return true;
}

bool CfiSection::is_cie(const Entry &entry) const {
    if (eh_) return entry.id == 0;
    return entry.id == (entry.wide ? ~uint64_t{0} : 0xffffffff);
}

// Reads the fields that the augmentation string announces.
bool CfiSection::read_augmentation(Bytes &in, std::string_view text, Cie &cie) const {
    if (text.empty()) return true;
    if (text[0] != 'z') return false;
    cie.has_augmentation_data = true;
    Bytes data(in.take(in.uleb()));
    for (const char letter : text.substr(1)) {
        switch (letter) {
            case 'R':
                cie.pointer_encoding = data.u8();
                break;
            case 'P': {
                const uint8_t encoding = data.u8();
                PointerBase base;
                read_pointer(data, encoding & 0x7f, base);
                break;
            }
            case 'L':
                cie.handlers_encoding = data.u8();
                break;
            case 'S':
                cie.signal_frame = true;
                break;
            case 'B':  // AArch64: which key signs return addresses
            case 'G':  // AArch64: memory tagging
                break;
            default:
                // Its data may be of any length, but all that is needed has its own length.
                return !in.failed();
        }
    }
    return !in.failed() && !data.failed();
}

Cie CfiSection::read_cie(const Entry &entry) const {
    Cie cie;
    Bytes in(entry.content);
    const uint8_t version = in.u8();
    const std::string_view augmentation = in.string();
    if (version != 1 && version != 3 && version != 4) return cie;
    if (version == 4) {
        const uint8_t address_bytes = in.u8(), segment_bytes = in.u8();
        if (address_bytes != 8 || segment_bytes != 0) return cie;
    }
    cie.code_factor = in.uleb();
    cie.data_factor = in.sleb();
    cie.return_register = version == 1 ? in.u8() : in.uleb();
    if (!read_augmentation(in, augmentation, cie) || in.failed()) return cie;
    Program program(cie, machine_);
    cie.usable = program.run_initial(entry.content.substr(in.at()), cie.initial);
    return cie;
}

const Cie &CfiSection::cie_at(uint64_t at) {
    std::unique_ptr<Cie> &slot = cies_[at];
    if (slot) return *slot;
    Entry entry;
    slot = std::make_unique<Cie>();
    if (read_entry(at, entry) && is_cie(entry)) *slot = read_cie(entry);
    return *slot;
}

// The augmentation data of an entry begins with the address, if the common entry announces one.
uint64_t CfiSection::read_handlers(std::string_view data, const Cie &cie, uint64_t function) const {
    PointerBase base;
    base.content = address_of(data);
    base.function = function;
    Bytes in(data), zero(data);
    // A pointer of 0 means no table, even where it is relative.
    const std::optional<uint64_t> plain = read_pointer(zero, cie.handlers_encoding & 15, {});
    if (cie.handlers_encoding == kPointerOmitted || !plain || !*plain) return 0;
    return read_pointer(in, cie.handlers_encoding, base).value_or(0);
}

bool CfiSection::read_fde(const Entry &entry, Fde &fde) {
    if (eh_ && entry.id > entry.id_at) return false;
    const Cie &cie = cie_at(eh_ ? entry.id_at - entry.id : entry.id);
    if (!cie.usable) return false;
    Bytes in(entry.content);
    PointerBase base;
    base.content = address_of(entry.content);
    const std::optional<uint64_t> start = read_pointer(in, eh_ ? cie.pointer_encoding : 0, base);
    // The length has the pointers' format, and is relative to nothing.
    const std::optional<uint64_t> length = read_pointer(in, eh_ ? cie.pointer_encoding & 15 : 0, {});
    if (cie.has_augmentation_data) {
        const uint64_t bytes = in.uleb();
        const size_t data = in.at();
        in.skip(bytes);
        if (start && !in.failed()) fde.handlers = read_handlers(entry.content.substr(data, bytes), cie, *start);
    }
    if (!start || !length || in.failed() || *length > ~*start) return false;
    fde.start = *start;
    fde.end = *start + *length;
    fde.cie = &cie;
    fde.program = entry.content.substr(in.at());
    fde.program_address = base.content + in.at();
    return true;
}

std::vector<Fde> CfiSection::read() {
    std::vector<Fde> found;
    found.reserve(content_.size() / 40);
    Entry entry;
    for (uint64_t at = 0; read_entry(at, entry); at = entry.next) {
        if (is_cie(entry)) continue;
        Fde fde;
        if (!read_fde(entry, fde)) {
            damaged_++;
        } else if (fde.start != fde.end) {
            found.push_back(fde);
        }
    }
    return found;
}

}  // namespace tapir::unwind
