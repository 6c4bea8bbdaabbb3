-- SPDX-License-Identifier: GPL-2.0-or-later
-- _wild.lua SAMPLES: LuaJIT 2.1 writes wild words into its own stack, and says then which frame is innermost.
local ffi = require("ffi")
jit.off()
collectgarbage("stop")
io.stdout:setvbuf("no")

local function word(address)
    return ffi.cast("uint64_t *", address)[0]
end

local function put(address, value)
    ffi.cast("uint64_t *", address)[0] = value
end

local function address_of(what)
    return tonumber(tostring(what):match("0x(%x+)"), 16)
end

-- Each is a link to a caller: the frame itself, an odd one, one beyond the stack, instructions that are nowhere.
local links = {1, 3, 0xffff800000000001ULL, 0xdead00000000ULL, 8, 0xffff800000000000ULL, 0x7ffffffffff9ULL}
local thread

-- Where a frame of a function of Lua has its link: in the slot behind the function.
local function link_of(called)
    local tagged = 0xfffb800000000000ULL + address_of(called)
    for slot = tonumber(word(thread + 56)), tonumber(word(thread + 32)), 8 do
        if word(slot) == tagged then return slot + 8 end
    end
end

function wild(link)
    local at = link_of(wild)
    local kept = word(at)
    put(at, link)
    for i = 1, 20000 do end
    io.stdout:write("function:32 (_wild.lua:37);[C]")
    put(at, kept)
end

local co = coroutine.create(function(samples)
    for i = 1, samples do
        wild(links[i % #links + 1])
    end
end)
thread = address_of(co)
assert(coroutine.resume(co, tonumber(arg[1])))
