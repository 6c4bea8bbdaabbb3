-- SPDX-License-Identifier: GPL-2.0-or-later
-- _lua.lua SAMPLES: prints its own stack so often, "OUTERMOST;...;INNERMOST" as lua_stack() has it, by debug.getinfo().
io.stdout:setvbuf("no")
local left = tonumber(arg[1])
math.randomseed(12)

local function stack()
    local text, level = "[C]", 2
    while true do
        local info = debug.getinfo(level, "Sl")
        if not info then return text end
        local name = info.what == "C" and "[C]" or info.what == "main" and "main chunk" or "function:" .. info.linedefined
        if info.what ~= "C" then
            local file = info.source:sub(1, 1) == "@" and info.source:match("([^/]*)$"):gsub("^@", "") or "[string]"
            name = name .. " (" .. file .. ":" .. info.currentline .. ")"
        end
        text = name .. ";" .. text
        level = level + 1
    end
end

local function leaf()
    if left > 0 then
        left = left - 1
        print(stack())
    end
    return left
end

local function deep(n)
    if n > 0 then
        deep(n - 1)
    else
        leaf()
    end
    return n
end

local function various(...)
    local n = select("#", ...)
    leaf()
    return n
end

local meta = setmetatable({}, {
    __index = function(_, key)
        leaf()
        return key
    end,
    __add = function(a, b)
        leaf()
        return 1
    end,
    __call = function(self, x)
        leaf()
        return x
    end,
})

local function loops()
    local sum = 0
    for i = 1, 300 do
        sum = sum + i % 7
    end
    leaf()
    return sum
end

local shapes = {
    function() deep(math.random(0, 50)) end,
    function() various(1, 2, 3) end,
    function() various() return 1 end,
    function() return meta.x, meta + 1, meta(3) end,
    function() pcall(leaf) end,
    function() pcall(deep, 3) end,
    function() xpcall(function() error("x") end, function() leaf() end) end,
    function()
        local co = coroutine.wrap(function(n)
            deep(n)
            coroutine.yield(1)
            leaf()
        end)
        co(3)
        co()
    end,
    function() table.sort({3, 1, 2}, function(a, b) leaf() return a < b end) end,
    function() ("a b"):gsub("%a", function() leaf() end) end,
    function() loadstring("local f = ... f() f()")(leaf) end,
    function() return leaf() end,
    function() for _ in function(_, n) leaf() return n < 3 and n + 1 or nil end, nil, 1 do end end,
    loops,
}
while left > 0 do
    shapes[math.random(#shapes)]()
end
