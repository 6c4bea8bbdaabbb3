#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the grammars of vim, Kate and VS Code from the words that the translator's scanner knows.

Usage: make.py [--check]

Writes them beside itself; with --check says which differ from what it would write, with status 1.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
SYNTAX = HERE.parent / "translator" / "syntax"
DECLARATIONS = ["function", "global", "private", "probe"]
TYPES = ["long", "string"]
# Macros that the preprocessor knows, and heads of tools.
HEADS = ["@define", "@tool", "@option"]


def read_words():
    scanner = (SYNTAX / "scanner.ll").read_text()
    table = scanner[scanner.index("&words() {"):]
    words = re.findall(r'\{"([a-z_]+)", +T::([A-Z_]+)\}', table[:table.index("};")])
    prints = sorted(word for word, token in words if token == "PRINT")
    others = sorted(word for word, token in words if token != "PRINT")
    operators = re.findall(r'\{"(@[a-z_]+)",', (SYNTAX / "operators.cc").read_text())
    control = [word for word in others if word not in DECLARATIONS + TYPES]
    return control, prints, sorted(set(operators + HEADS))


def vim(control, prints, operators):
    names = "\\|".join(operator[1:] for operator in operators)
    return f'''" SPDX-License-Identifier: GPL-2.0-or-later
" Made by editors/make.py.
if exists("b:current_syntax")
  finish
endif
syn include @tapirC syntax/c.vim
unlet! b:current_syntax
syn keyword tapirDeclaration {" ".join(DECLARATIONS)}
syn keyword tapirControl {" ".join(control)}
syn keyword tapirType {" ".join(TYPES)}
syn keyword tapirPrint {" ".join(prints)}
syn match tapirMacro "@\\h\\w*"
syn match tapirOperator "@\\%({names}\\)\\>"
syn match tapirArgument "[$@]\\%(\\d\\+\\|#\\)"
syn match tapirTarget "\\$\\+\\h\\w*"
syn match tapirNumber "\\<\\%(0[xX]\\x\\+\\|\\d\\+\\)\\>"
syn match tapirConditional "%[(?:)]"
syn match tapirEscape contained "\\\\\\%(\\o\\{{1,3}}\\|x\\x\\+\\|.\\)"
syn region tapirString start=+"+ skip=+\\\\.+ end=+"+ contains=tapirEscape
syn keyword tapirTodo contained TODO FIXME XXX
syn match tapirComment "#.*$" contains=tapirTodo,@Spell
syn match tapirComment "//.*$" contains=tapirTodo,@Spell
syn region tapirComment start="/\\*" end="\\*/" contains=tapirTodo,@Spell
syn region tapirCode matchgroup=tapirConditional start="%{{" end="%}}" keepend contains=@tapirC

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
'''


def kate(control, prints, operators):
    def items(words):
        return "".join(f"\n      <item>{word}</item>" for word in words)

    names = "|".join(operator[1:] for operator in operators)
    return f'''<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: GPL-2.0-or-later -->
<!-- Made by editors/make.py. -->
<!DOCTYPE language>
<language name="SystemTap" section="Scripts" extensions="*.stp;*.stpm" version="1" kateversion="5.0" indenter="cstyle" license="GPL-2.0-or-later">
  <highlighting>
    <list name="declarations">{items(DECLARATIONS)}
    </list>
    <list name="control">{items(control)}
    </list>
    <list name="types">{items(TYPES)}
    </list>
    <list name="prints">{items(prints)}
    </list>
    <contexts>
      <context name="Script" attribute="Text" lineEndContext="#stay">
        <DetectSpaces/>
        <keyword attribute="Declaration" context="#stay" String="declarations"/>
        <keyword attribute="Control" context="#stay" String="control"/>
        <keyword attribute="Type" context="#stay" String="types"/>
        <keyword attribute="Print" context="#stay" String="prints"/>
        <RegExpr attribute="Operator" context="#stay" String="@({names})\\b"/>
        <RegExpr attribute="Argument" context="#stay" String="[$@]([0-9]+|#)"/>
        <RegExpr attribute="Macro" context="#stay" String="@[A-Za-z_]\\w*"/>
        <RegExpr attribute="Target" context="#stay" String="\\$+[A-Za-z_]\\w*"/>
        <Detect2Chars attribute="Macro" context="Code" char="%" char1="{{" beginRegion="Code"/>
        <RegExpr attribute="Macro" context="#stay" String="%[(?:)]"/>
        <HlCHex attribute="Number" context="#stay"/>
        <Int attribute="Number" context="#stay"/>
        <DetectChar attribute="String" context="String" char="&quot;"/>
        <Detect2Chars attribute="Comment" context="Comment" char="/" char1="*" beginRegion="Comment"/>
        <Detect2Chars attribute="Comment" context="Line" char="/" char1="/"/>
        <DetectChar attribute="Comment" context="Line" char="#"/>
        <DetectChar attribute="Text" context="#stay" char="{{" beginRegion="Brace"/>
        <DetectChar attribute="Text" context="#stay" char="}}" endRegion="Brace"/>
        <DetectIdentifier attribute="Text" context="#stay"/>
      </context>
      <context name="String" attribute="String" lineEndContext="#stay">
        <HlCStringChar attribute="Escape" context="#stay"/>
        <DetectChar attribute="String" context="#pop" char="&quot;"/>
      </context>
      <context name="Line" attribute="Comment" lineEndContext="#pop"/>
      <context name="Comment" attribute="Comment" lineEndContext="#stay">
        <Detect2Chars attribute="Comment" context="#pop" char="*" char1="/" endRegion="Comment"/>
      </context>
      <context name="Code" attribute="Text" lineEndContext="#stay">
        <Detect2Chars attribute="Macro" context="#pop" char="%" char1="}}" endRegion="Code"/>
        <IncludeRules context="##C"/>
      </context>
    </contexts>
    <itemDatas>
      <itemData name="Text" defStyleNum="dsNormal"/>
      <itemData name="Declaration" defStyleNum="dsKeyword"/>
      <itemData name="Control" defStyleNum="dsControlFlow"/>
      <itemData name="Type" defStyleNum="dsDataType"/>
      <itemData name="Print" defStyleNum="dsBuiltIn"/>
      <itemData name="Operator" defStyleNum="dsOperator"/>
      <itemData name="Argument" defStyleNum="dsSpecialChar"/>
      <itemData name="Macro" defStyleNum="dsPreprocessor"/>
      <itemData name="Target" defStyleNum="dsVariable"/>
      <itemData name="Number" defStyleNum="dsDecVal"/>
      <itemData name="String" defStyleNum="dsString"/>
      <itemData name="Escape" defStyleNum="dsSpecialChar"/>
      <itemData name="Comment" defStyleNum="dsComment"/>
    </itemDatas>
  </highlighting>
  <general>
    <comments>
      <comment name="singleLine" start="#"/>
      <comment name="multiLine" start="/*" end="*/" region="Comment"/>
    </comments>
    <keywords casesensitive="1"/>
  </general>
</language>
'''


def textmate(control, prints, operators):
    def words(name, list_of):
        return {"name": f"{name}.systemtap", "match": rf"\b({'|'.join(list_of)})\b"}

    names = "|".join(operator[1:] for operator in operators)
    return json.dumps({
        "name": "SystemTap",
        "scopeName": "source.systemtap",
        "comment": "Made by editors/make.py. SPDX-License-Identifier: GPL-2.0-or-later",
        "fileTypes": ["stp", "stpm"],
        "patterns": [
            {"name": "comment.block.systemtap", "begin": r"/\*", "end": r"\*/"},
            {"name": "comment.line.systemtap", "match": r"//.*$"},
            # "$#" and "@#" are arguments.
            {"name": "variable.parameter.systemtap", "match": r"[$@](\d+|#)"},
            {"name": "comment.line.systemtap", "match": r"#.*$"},
            {"begin": r"%\{", "end": r"%\}", "beginCaptures": {"0": {"name": "keyword.preprocessor.systemtap"}},
             "endCaptures": {"0": {"name": "keyword.preprocessor.systemtap"}}, "contentName": "source.c",
             "patterns": [{"include": "source.c"}]},
            {"name": "string.quoted.double.systemtap", "begin": '"', "end": '"',
             "patterns": [{"name": "constant.character.escape.systemtap", "match": r"\\."}]},
            {"name": "keyword.preprocessor.systemtap", "match": r"%[(?:)]"},
            {"name": "keyword.operator.systemtap", "match": rf"@({names})\b"},
            {"name": "entity.name.function.preprocessor.systemtap", "match": r"@[A-Za-z_]\w*"},
            {"name": "variable.other.systemtap", "match": r"\$+[A-Za-z_]\w*"},
            words("storage.type.declaration", DECLARATIONS),
            words("keyword.control", control),
            words("storage.type", TYPES),
            words("support.function", prints),
            {"name": "constant.numeric.systemtap", "match": r"\b(0[xX][0-9a-fA-F]+|\d+)\b"},
        ],
    }, indent=2) + "\n"


def main():
    lists = read_words()
    files = {
        "vim/syntax/systemtap.vim": vim(*lists),
        "kate/systemtap.xml": kate(*lists),
        "vscode/syntaxes/systemtap.tmLanguage.json": textmate(*lists),
    }
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong = 0
    for name, text in files.items():
        path = HERE / name
        if not check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            print(f"editors/{name} is not what editors/make.py makes of the scanner's words: run it")
            wrong = 1
    sys.exit(wrong)


main()
