# SPDX-License-Identifier: GPL-2.0-or-later
# Names of C++ in stacks and of addresses are as c++filt shows those of the file, which --mangled leaves as they are.
#: scripts: _names.stp
#: requires: program c++filt
#: host: g++ -O1 -static -no-pie -fno-optimize-sibling-calls -o shapes "$AREA/_shapes.cc"
"$STAPRUN" _names.ko -c ./shapes >shown
"$STAPRUN" _names.ko --mangled -c ./shapes >raw
cat shown raw
c++filt -i <raw >filtered
diff filtered shown || fail 'names differ from those of c++filt -i'
for name in 'shapes::Circle::area(char const\*) const' 'shapes::Circle::operator()(int) const' 'shapes::Pair<int, long>::ask() const' \
    '(anonymous namespace)::inner::call()' plain main; do
    grep -q "$name+0x[0-9a-f]*/0x" shown || fail "no $name"
done
grep -q '_ZNK6shapes6Circle4areaEPKc+0x' raw || fail 'names are not as in the file'
