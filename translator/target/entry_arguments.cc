// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/entry_arguments.h"

#include "target/calling_convention.h"

namespace tapir::target {

using ctypes::Place;

std::vector<Place> entry_arguments(const DebugObject &object, const dwarf::CodeSite &site) {
    if (!dwarf::is_called_by_abi(*object.object, *object.index, site)) return {};
    const auto parameters = dwarf::parameters_of(*object.object, site);
    std::vector<ctypes::Type> types;
    types.reserve(parameters.size());
    for (const dwarf::ScopeVariable &parameter : parameters)
        types.push_back(dwarf::type_of_variable(*object.object, *object.types, parameter));
    std::vector<Place> places =
        argument_places(object.object->machine(), types, dwarf::return_type(*object.object, *object.types, site));
    for (size_t i = 0; i < parameters.size(); ++i) {
        const Place told = dwarf::place_of_variable(*object.object, *object.index, site, parameters[i]);
        if (told.kind == Place::Kind::Register && places[i].kind != Place::Kind::Absent &&
            (places[i].kind != Place::Kind::Register || term_text(*places[i].term) != term_text(*told.term)))
            return {};
    }
    return places;
}

}  // namespace tapir::target
