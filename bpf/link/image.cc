// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/image.h"

#include <cstring>

namespace tapir::bpf {

bool Image::link(std::vector<Object> objects, std::string &error) {
    objects_ = std::move(objects);
    return place(error) && resolve(error);
}

bool Image::place(std::string &error) {
    constexpr uint64_t kAlign = 64;
    for (size_t o = 0; o < objects_.size(); o++) {
        const Object &object = objects_[o];
        std::vector<uint64_t> &places = places_.emplace_back();
        for (const Section &section : object.data) {
            uint64_t align = std::max(section.align, kAlign);
            bytes_.resize((bytes_.size() + align - 1) / align * align);
            places.push_back(kArenaFirst + bytes_.size());
            bytes_ += section.bytes;
        }
        for (const auto &[name, symbol] : object.symbols) {
            if (!addresses_.emplace(name, places[static_cast<size_t>(symbol.section)] + symbol.offset).second) {
                error = "two objects define " + name;
                return false;
            }
        }
        for (size_t f = 0; f < object.functions.size(); f++) {
            if (!functions_.emplace(object.functions[f].name, std::pair(o, f)).second) {
                error = "two objects define " + object.functions[f].name + "()";
                return false;
            }
        }
    }
    return true;
}

// A word that was the address of a function becomes its number: no program calls by it, but the loader asks which one
// it is.
constexpr uint64_t kFunctionMark = uint64_t{0xb9f} << 40;

bool Image::resolve(std::string &error) {
    for (size_t o = 0; o < objects_.size(); o++) {
        for (size_t s = 0; s < objects_[o].data.size(); s++) {
            for (const Reference &reference : objects_[o].data[s].references) {
                uint64_t value = 0;
                if (reference.section >= 0) {
                    value =
                        places_[o][static_cast<size_t>(reference.section)] + static_cast<uint64_t>(reference.addend);
                } else if (std::optional<uint64_t> at = address(reference.symbol)) {
                    value = *at + static_cast<uint64_t>(reference.addend);
                } else if (auto found = functions_.find(reference.symbol); found != functions_.end()) {
                    value = kFunctionMark + static_cast<uint64_t>(std::distance(functions_.begin(), found));
                } else {
                    error = "no object defines " + reference.symbol;
                    return false;
                }
                std::memcpy(bytes_.data() + (places_[o][s] - kArenaFirst) + reference.at, &value, sizeof(value));
            }
        }
    }
    return true;
}

std::optional<uint64_t> Image::address(const std::string &symbol) const {
    auto found = addresses_.find(symbol);
    return found == addresses_.end() ? std::nullopt : std::optional(found->second);
}

const Function *Image::function(const std::string &name) const {
    auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &objects_[found->second.first].functions[found->second.second];
}

const Function *Image::function_at(uint64_t word) const {
    if (word < kFunctionMark || word - kFunctionMark >= functions_.size()) return nullptr;
    return function(std::next(functions_.begin(), static_cast<std::ptrdiff_t>(word - kFunctionMark))->first);
}

std::vector<std::string> Image::function_names() const {
    std::vector<std::string> names;
    for (const auto &[name, place] : functions_)
        names.push_back(name);
    return names;
}

}  // namespace tapir::bpf
