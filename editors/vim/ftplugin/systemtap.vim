" SPDX-License-Identifier: GPL-2.0-or-later
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1
setlocal commentstring=#\ %s comments=s1:/*,mb:*,ex:*/,://,b:# formatprg=stap\ --format
let b:undo_ftplugin = "setlocal commentstring< comments< formatprg<"
