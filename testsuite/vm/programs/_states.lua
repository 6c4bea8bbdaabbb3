-- SPDX-License-Identifier: GPL-2.0-or-later
-- Interprets for a third of its time, and runs compiled code for the rest. Prints the processor time of both, and the heap's bytes.
local function spin(seconds)
    local began = os.clock()
    while os.clock() - began < seconds do
        local sum = 0
        for i = 1, 100000 do sum = (sum + i * 3) % 1000 end
    end
    return os.clock() - began
end
local kept = {}
for i = 1, 20000 do kept[i] = { i } end
collectgarbage()
collectgarbage("stop")
jit.off()
jit.off(spin)
local slow = spin(1)
jit.on()
jit.on(spin)
local fast = spin(2)
print(math.floor(slow * 1000), math.floor(fast * 1000), math.floor(collectgarbage("count") * 1024))
