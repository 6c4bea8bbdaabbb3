# SPDX-License-Identifier: GPL-2.0-or-later
# tools/runtimes/cxxthrow.stp with a program that counts what it throws itself, and whose library throws for it.
#: host: g++ -O1 -o throws "$AREA/_throws.cc"
#: host: "$STAP" -p4 -r "$R" -d "$W/throws" -m cxxthrow run cxxthrow >/dev/null
#: requires: program python3
#: requires: file /usr/lib/x86_64-linux-gnu/libstdc++.so.6
#: timeout: 120
#: records: also
. "$AREA/_lib.sh"
traced "bash -c './throws >said'" cxxthrow
# The library's own functions may lack names.
is_equal 'exceptions' "$(rows exceptions | cut -f 1,4,5 | tr '\t' ' ' | sed 's/\(std::out_of_range\) .*/\1/' | sort)" "$(sort said)"
is_equal 'the program' "$(rows exceptions | cut -f 2 | sort -u)" throws
traced ./throws cxxthrow type=Hungry
is_equal 'exceptions of a type' "$(rows exceptions | cut -f 1,4)" "$(printf '4\tHungry')"
traced 'sleep 0.2' cxxthrow
grep -q 'no program' out || fail 'the tool says nothing when there is nothing'
sample cxxthrow cxxthrow -c "bash -c './throws >said'"
