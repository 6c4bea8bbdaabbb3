# SPDX-License-Identifier: GPL-2.0-or-later
# The processes that the tools of this directory look at; sourced. PROGRAMS is a directory with what build.sh makes, `sources` this one. Each
# process works in a directory of its own, and waits there.

# The tools and the process of each. Tools with frames (deadlock) have no way in the kernel.
TOOLS="hash:own list:own pretty:own stacks:own tls:own heap:own pystack:python deadlock:tools
    nginx:nginx ngx-active:nginx redis:redis sqlite:sqlite luajit:luajit
    jemalloc-stats:jemalloc jemalloc:jemalloc jemalloc-stats:jemalloc-static"

tool_file() { # TOOL
    local file=$sources/$1.stp
    [ -f "$file" ] || file=$(echo "$sources"/../../../tools/*/"$1.stp")
    echo "$file"
}

# Whether the program is here.
has_target() { # TARGET
    case $1 in
    python) [ -x /usr/bin/python3.11 ] ;;
    nginx) [ -x "$PROGRAMS/nginx/sbin/nginx" ] ;;
    luajit) [ -x "$PROGRAMS/bin/luajit" ] ;;
    redis) [ -x "$PROGRAMS/bin/redis-server" ] ;;
    sqlite | jemalloc | jemalloc-static) [ -x "$PROGRAMS/bin/$1" ] ;;
    esac
}

# The programs that are compiled in a moment.
make_small_programs() {
    mkdir -p "$PROGRAMS/bin" &&
        gcc -g -pthread -Wl,--build-id -o "$PROGRAMS/bin/own" "$sources/../program.c" &&
        gcc -g -pthread -Wl,--build-id -o "$PROGRAMS/bin/tools" "$sources/../tools.c"
}

# The command of a target, in its directory; what it waits for comes after that it is ready.
target_command() { # TARGET
    case $1 in
    own) echo "$PROGRAMS/bin/own 1000 3" ;;
    tools) echo "$PROGRAMS/bin/tools" ;;
    sqlite | jemalloc | jemalloc-static) echo "$PROGRAMS/bin/$1" ;;
    python)
        printf '%s\n' 'import signal' 'def inner(number):' '    print("ready", flush=True)' '    signal.pause()' \
            'def outer():' '    inner(3)' 'outer()' >waits.py
        echo "/usr/bin/python3.11 waits.py"
        ;;
    luajit)
        printf '%s\n' 'words = {}' 'for i = 1, 500 do words[i] = {name = "word number " .. i, call = function() return i end} end' \
            'print("ready")' 'io.stdout:flush()' 'io.read()' >waits.lua
        echo "$PROGRAMS/bin/luajit waits.lua"
        ;;
    redis) echo "$PROGRAMS/bin/redis-server --port 0 --unixsocket $PWD/socket --save '' --dir $PWD --crash-log-enabled no" ;;
    nginx)
        mkdir -p logs resty
        # The module does not start without this one, of which nothing is used here.
        echo 'return {}' >resty/core.lua
        cat >nginx.conf <<N
daemon off;
master_process off;
user root;
events { worker_connections 64; }
http {
  lua_package_path "$PWD/?.lua;;";
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server { listen unix:socket;
    location / { content_by_lua_block { ngx.log(ngx.ERR, "asleep") ngx.sleep(10000) } }
  }
}
N
        echo "$PROGRAMS/nginx/sbin/nginx -p $PWD/ -c nginx.conf"
        ;;
    esac
}

# Has the target come to where it stays?
target_rests() { # TARGET PID
    case $1 in
    tools) [ "$(cat /proc/"$2"/task/*/syscall 2>/dev/null | grep -c '^202 ')" = 3 ] && [ "$(grep -c . ready)" = 3 ] ;;
    redis) [ -S socket ] && "$PROGRAMS/bin/redis-cli" -s socket get key:7 2>/dev/null | grep -q 'value of 7' ;;
    nginx) [ "$(grep -c asleep logs/error.log)" = 3 ] ;;
    *) grep -q ready ready ;;
    esac
}

# Makes a target do the work that the tools are to see.
target_work() { # TARGET
    case $1 in
    redis)
        { for i in $(seq 300); do echo "set key:$i \"value of $i\""; done; echo "set number 4711"; echo "rpush list a b c"; } |
            "$PROGRAMS/bin/redis-cli" -s socket >/dev/null
        ;;
    nginx)
        python3 -I -c 'import socket, time
held = [socket.socket(socket.AF_UNIX) for i in range(3)]
for i, one in enumerate(held):
    one.connect("socket")
    one.sendall(b"GET /number/%d HTTP/1.1\r\nHost: here\r\n\r\n" % i)
time.sleep(100000)' >/dev/null 2>&1 &
        client=$!
        ;;
    esac
}

# Starts a target in a new directory below this one, which becomes the working directory; sets pid, and client ("" = none).
begin_target() { # TARGET
    local command
    client=
    mkdir "$1.runs" && cd "$1.runs" || return 1
    command=$(target_command "$1")
    mkfifo never
    # No process writes to its input.
    eval "exec $command" >ready 2>errors <>never &
    pid=$!
    case $1 in
    redis | nginx) patiently 60 test -S socket || return 1 ;;
    esac
    target_work "$1"
    patiently 60 target_rests "$1" "$pid"
}

# The kernel's core of a target, which ends it: sets core; "" where the kernel sends cores elsewhere.
core_of_target() {
    core=
    case $(cat /proc/sys/kernel/core_pattern) in
    core*) ;;
    *) return ;;
    esac
    { kill -SEGV "$pid" && wait "$pid"; } 2>/dev/null || :
    for core in core*; do :; done
    [ -s "$core" ] || core=
}

end_target() {
    { kill -KILL $pid $client; wait $pid $client; } 2>/dev/null || :
    cd ..
}
