# SPDX-License-Identifier: GPL-2.0-or-later
# The programs whose frames are compared; sourced after ../lib.sh.
sources=$here/frames

all="c1-O0 c2-O0 c3-O0 c4-O0 c1-O2 c2-O2 c3-O2 c4-O2 cc1-O0 cc2-O0 cc3-O0 cc1-O2 cc2-O2 cc3-O2"
command -v rustc >/dev/null && all="$all rs1-O0 rs2-O0 rs3-O0 rs1-O2 rs2-O2 rs3-O2" || echo "There is no rustc: Rust is not tested."

compile() { # PROGRAM
    local source=${1%-O*} level=${1#*-O}
    local shape=${source//[a-z]/}
    case $source in
        cc*) g++ -std=c++20 -g -O"$level" -pthread -Wl,--build-id -DSHAPE="$shape" "$sources/shapes.cc" -o "$work/$1" ;;
        c*) gcc -g -O"$level" -pthread -Wl,--build-id -DSHAPE="$shape" "$sources/shapes.c" -o "$work/$1" ;;
        rs*) rustc -g -C opt-level="$level" --cfg "shape=\"$shape\"" "$sources/shapes.rs" -o "$work/$1" ;;
    esac
}
