# SPDX-License-Identifier: GPL-2.0-or-later
# locks.stp against a program that knows how long it waited, and for what; linked to the C library, and static.
#: host: gcc -O1 -g -pthread -o shared "$AREA/_locks.c" && gcc -O1 -g -pthread -static -o static "$AREA/_locks.c"
#: host: "$STAP" -p4 -r "$R" -m locks -c "$W/shared" run locks >/dev/null
#: timeout: 120
#: records: no, it makes pictures
for program in shared static; do
    status=0
    "$STAPRUN" locks.ko -o $program.folded -c "./$program >said" >out 2>err || status=$?
    # 3: the shell's frames have no names.
    [ $status = 0 ] || [ $status = 3 ] || { cat out err; fail "$program: status $status"; }
    cat said $program.folded
    while read -r function waited; do
        case $function in
        wait_for_mutex | wait_for_inherited | wait_to_read) is='lock, held by holder [0-9]+' ;;
        wait_to_write) is=lock ;;
        wait_for_word) is='idle, for a condition' ;;
        wait_for_post) is='idle, for a semaphore' ;;
        wait_for_rounds) is='idle, for a barrier' ;;
        wait_for_end) is="idle, for a thread's end" ;;
        wait_for_change) is='other wait' ;;
        esac
        # By what comes first, of the stacks with the function.
        awk -v f="$function" -v is="^$is\$" -v waited="$waited" '";" $0 ~ ";" f "[; ]" {
                first = $0; sub(/;.*/, "", first)
                if (first ~ is) sum += $NF; else { print f " is below " first; other = 1 }
            }
            END { if (other || sum < waited * 0.6 || sum > waited * 1.01) { print f ": " sum " of " waited; exit 1 } }' $program.folded ||
            fail "$program: $function"
    done <said
    [ "$(wc -l <said)" = 9 ] || fail "$program: $(cat said)"
done
