" SPDX-License-Identifier: GPL-2.0-or-later
" Made by editors/make.py.
if exists("b:current_syntax")
  finish
endif
syn include @tapirC syntax/c.vim
unlet! b:current_syntax
syn keyword tapirDeclaration function global private probe
syn keyword tapirControl break catch continue delete else for foreach if in limit next return try while
syn keyword tapirType long string
syn keyword tapirPrint print print_char printd printdln printf println sprint sprintd sprintdln sprintf sprintln
syn match tapirMacro "@\h\w*"
syn match tapirOperator "@\%(after\|avg\|cast\|const\|count\|define\|defined\|entry\|enum\|enumname\|hist_linear\|hist_log\|hist_loglinear\|interpreter\|kderef\|kregister\|max\|median\|metric\|min\|option\|percentile\|perf\|probewrite\|recall\|recall_cpu\|row\|sum\|table\|tool\|trigger\|uderef\|uregister\|var\|variance\)\>"
syn match tapirArgument "[$@]\%(\d\+\|#\)"
syn match tapirTarget "\$\+\h\w*"
syn match tapirNumber "\<\%(0[xX]\x\+\|\d\+\)\>"
syn match tapirConditional "%[(?:)]"
syn match tapirEscape contained "\\\%(\o\{1,3}\|x\x\+\|.\)"
syn region tapirString start=+"+ skip=+\\.+ end=+"+ contains=tapirEscape
syn keyword tapirTodo contained TODO FIXME XXX
syn match tapirComment "#.*$" contains=tapirTodo,@Spell
syn match tapirComment "//.*$" contains=tapirTodo,@Spell
syn region tapirComment start="/\*" end="\*/" contains=tapirTodo,@Spell
syn region tapirCode matchgroup=tapirConditional start="%{" end="%}" keepend contains=@tapirC

hi def link tapirDeclaration Keyword
hi def link tapirControl Statement
hi def link tapirType Type
hi def link tapirPrint Function
hi def link tapirMacro Macro
hi def link tapirOperator Operator
hi def link tapirArgument Special
hi def link tapirTarget Identifier
hi def link tapirNumber Number
hi def link tapirConditional PreProc
hi def link tapirEscape SpecialChar
hi def link tapirString String
hi def link tapirTodo Todo
hi def link tapirComment Comment
let b:current_syntax = "systemtap"
