// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a signature, as changes of a good signature, and as a manifest that a trusted signer has signed: all are
// taken apart within bounds, nothing is believed without a signature, and a manifest that is accepted is exactly what
// would be written for it and is about this module.
#include <cstdlib>
#include <string>

#include "trust/verify.h"
#include "unit/trust/authority.h"

using namespace tapir::trust;

namespace {

constexpr size_t kMaxChanges = 4;

const Subject kSubject = {"image", "name", "release", "build", "machine", 1};

// A signer of the fuzzer's own, and a store that trusts no other.
struct World {
    Folder folder;
    Identity signer = make_identity();
    Store store;
    std::string good;  // signature of a manifest for kSubject
    std::string manifest;

    World() {
        folder.write("trust/signer.pem", pem(signer));
        if (!store.load(folder.path() + "/trust", folder.protection())) abort();
        Manifest about;
        about.sha256 = sha256(kSubject.image);
        about.name = kSubject.name;
        about.release = kSubject.release;
        about.build = kSubject.build;
        about.architecture = kSubject.architecture;
        about.abi = kSubject.abi;
        about.not_before = kNow - kDay;
        about.not_after = kNow + kDay;
        about.id = std::string(32, '0');
        manifest = print(about);
        good = sign_text(manifest);
        if (!verify(good, kSubject, store, kNow).outcome) abort();
    }

    std::string sign_text(const std::string &text) const {
        Bio content = reader(text), out(BIO_new(BIO_s_mem()));
        const unsigned flags = CMS_BINARY | CMS_PARTIAL | CMS_NOSMIMECAP;
        Message message(CMS_sign(nullptr, nullptr, nullptr, nullptr, flags));
        if (!message ||
            !CMS_add1_signer(message.get(), signer.certificate.get(), signer.key.get(), EVP_sha256(), flags) ||
            CMS_final(message.get(), content.get(), nullptr, flags) != 1 || i2d_CMS_bio(out.get(), message.get()) != 1)
            abort();
        return contents(out.get());
    }
};

Verdict judge(const World &world, std::string_view signature) {
    Verdict verdict = verify(signature, kSubject, world.store, kNow);
    if (!verdict.outcome && verdict.outcome.fault().text.empty()) abort();
    return verdict;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const World world;
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    const tapir::Outcome<Manifest> manifest = parse(input);
    if (manifest && print(*manifest) != input) abort();
    if (judge(world, input).outcome) abort();

    std::string changed = world.good;
    for (size_t i = 0; i + 2 < size && i < 3 * kMaxChanges; i += 3)
        changed[(data[i] << 8 | data[i + 1]) % changed.size()] ^= static_cast<char>(data[i + 2]);
    const Verdict of_changed = judge(world, changed);
    if (of_changed.outcome && print(of_changed.manifest) != world.manifest) abort();

    const Verdict of_signed = judge(world, world.sign_text(std::string(input)));
    const Manifest &said = of_signed.manifest;
    if (of_signed.outcome && (print(said) != input || said.sha256 != sha256(kSubject.image) ||
                              said.name != kSubject.name || said.release != kSubject.release ||
                              said.abi != kSubject.abi || said.not_before > kNow || said.not_after < kNow))
        abort();
    return 0;
}
