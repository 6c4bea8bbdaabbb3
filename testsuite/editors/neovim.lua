-- SPDX-License-Identifier: GPL-2.0-or-later
-- Neovim as a client of "stap --language-server": nvim --headless -u NONE -l runs no scripts in 0.7, so it is sourced.
-- Writes TAP to the file $RESULTS.
local results = assert(io.open(vim.env.RESULTS, "w"))
local number, failed = 0, false

local function check(good, name, found)
  number = number + 1
  results:write((good and "ok " or "not ok ") .. number .. " - " .. name .. "\n")
  if not good then
    failed = true
    results:write("# " .. vim.inspect(found):gsub("\n", "\n# "):sub(1, 2000) .. "\n")
  end
end

local client = vim.lsp.start_client({ name = "stap", cmd = { vim.env.STAP, "--language-server" }, root_dir = vim.fn.getcwd() })
local buffer = vim.api.nvim_create_buf(true, false)
vim.api.nvim_set_current_buf(buffer)
vim.api.nvim_buf_set_name(buffer, vim.fn.getcwd() .. "/edited.stp")
local patience = tonumber(vim.env.PATIENCE_MS)

local function set(text)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
end

set("probe ")
vim.lsp.buf_attach_client(buffer, client)
vim.wait(patience, function() local c = vim.lsp.get_client_by_id(client) return c and c.initialized end)

local function ask(method, line, character, more)
  local params = vim.tbl_extend("force", {
    textDocument = { uri = vim.uri_from_bufnr(buffer) },
    position = { line = line, character = character },
  }, more or {})
  local answers = vim.lsp.buf_request_sync(buffer, method, params, patience)
  local answer = answers and answers[client]
  return answer and answer.result, answer and answer.error
end

local function completes(text, wanted)
  set(text)
  local last = vim.split(text, "\n")
  local result = ask("textDocument/completion", #last - 1, #last[#last])
  for _, item in ipairs(result and result.items or {}) do
    if item.label == wanted then return true, item end
  end
  return false, result
end

check(completes("probe ker", "kernel"), "a probe point is completed")
check(completes("probe vfs.re", "read"), "a component of an alias is completed")
local good, item = completes("@option(shortest, 0, \"-m TIME: duration in us -- ignore shorter waits\")\nprobe end { short", "shortest")
check(good and item.documentation.value == "ignore shorter waits", "an option of the script is completed", item)
good, item = completes("probe end { strle", "strlen")
check(good and item.detail:find("^strlen:long") and item.documentation, "a function is completed, with its comment", item)
check(completes("probe end { fore", "foreach"), "a keyword is completed")
check(completes("probe end { @cou", "@count"), "an operator is completed")
if vim.env.HAVE_BTF == "yes" then
  check(completes("probe kernel.function(\"vfs_read\") { x = $fi", "$file"), "a variable of the kernel is completed")
  check(completes("probe kernel.function(\"vfs_read\") { x = $file->f_po", "f_pos"), "a member is completed")
  check(completes("probe kernel.function(\"vfs_rea", "vfs_read"), "a function of the kernel is completed")
else
  results:write("# SKIP variables and members: the kernel has no BTF here\n")
end

set("probe end {\n  x = = 1\n}")
local told = vim.wait(patience, function()
  local list = vim.diagnostic.get(buffer)
  return #list == 1 and list[1].lnum == 1 and list[1].col == 6
end)
check(told, "a mistake is shown where it is", vim.diagnostic.get(buffer))
set("probe end {\n  exitt()\n}")
told = vim.wait(patience, function()
  local list = vim.diagnostic.get(buffer)
  return #list == 1 and list[1].lnum == 1 and list[1].message:find("exitt")
end)
check(told, "an unknown function is shown", vim.diagnostic.get(buffer))

set("global  reads\nprobe vfs.read{ reads++ }\nprobe end { println(reads) }")
local hover = ask("textDocument/hover", 1, 11)
check(hover and hover.contents.value:find("vfs.read"), "hover tells of a probe point", hover)
local places = ask("textDocument/definition", 2, 21)
check(places and places[1] and places[1].range.start.line == 0, "a global's declaration is found", places)
local edit = ask("textDocument/rename", 2, 21, { newName = "hits" })
check(edit ~= nil, "a global is renamed", edit)
if edit then vim.lsp.util.apply_workspace_edit(edit, "utf-16") end
local edits = ask("textDocument/formatting", 0, 0, { options = { tabSize = 4, insertSpaces = true } })
check(edits ~= nil, "the script is formatted", edits)
if edits then vim.lsp.util.apply_text_edits(edits, buffer, "utf-16") end
local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
check(text == "global hits\nprobe vfs.read { hits++ }\nprobe end { println(hits) }", "the text is as it should be", text)

results:write("1.." .. number .. "\n")
results:close()
vim.lsp.stop_client(client)
vim.cmd(failed and "cquit" or "qall!")
