/* SPDX-License-Identifier: GPL-2.0-or-later */
%top{
#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <string_view>

#include "common/quoting.h"
#include "grammar.hh"
#include "syntax/scanner.h"
}

%option 8bit batch reentrant noyywrap nodefault never-interactive nounput noinput
%option prefix="tapir_syntax_"
%option extra-type="void *"

%{
using T = tapir::syntax::Grammar::token;

namespace {
// Values that a rule may return besides the grammar's tokens.
enum Raw : int { RawOperator = -1, RawWord = -2, RawArgument = -3, OpenComment = -4, OpenEmbedded = -5, OpenString = -6 };
}  // namespace
%}

BLANK   [ \t\r\n\f\v]
LETTER  [A-Za-z_]
WORD    [A-Za-z0-9_$]
STRING  ([^"\\\n]|\\(.|\n))*

%%

{BLANK}+
"#"[^\n]*
"//"[^\n]*
"/*"([^*]|"*"+[^*/])*"*"+"/"
"/*"                        return OpenComment;

"%{"([^%]|"%"+[^%}])*"%"+"}"  return T::EMBEDDED_BLOCK;
"%{"                        return OpenEmbedded;

\"{STRING}\"                return T::STRING;
\"{STRING}                  return OpenString;

[0-9]{WORD}*                return T::NUMBER;
{LETTER}{WORD}*             return RawWord;
"$"[0-9]+                   return RawArgument;
"@"[0-9]+                   return RawArgument;
"$#"                        return RawArgument;
"@#"                        return RawArgument;
"$"+{LETTER}{WORD}*         return T::TARGET;
"$""$"?                     return T::PRETTY;
"@"{LETTER}{WORD}*          return T::AT_WORD;

"%("                        return T::PP_OPEN;
"%?"                        return T::PP_THEN;
"%:"                        return T::PP_ELSE;
"%)"                        return T::PP_CLOSE;

"+"|"-"|"*"|"/"|"%"|"&"|"|"|"^"|"~"|"!"|"<"|">"|"="|"."|","|";"|":"|"?"   return RawOperator;
"("|")"|"["|"]"|"{"|"}"                                                   return RawOperator;
"++"|"--"|"->"|"**"|"<<"|">>"|">>>"|"<<<"|"=="|"!="|"<="|">="|"&&"|"||"   return RawOperator;
"=~"|"!~"|"+="|"-="|"*="|"/="|"%="|"&="|"|="|"^="|"<<="|">>="|">>>="|".=" return RawOperator;

.|\n                        return T::INVALID;
<<EOF>>                     return T::END;

%%

namespace tapir::syntax {

namespace {

const std::map<std::string_view, int> &operators() {
    static const std::map<std::string_view, int> table = {
        {"+", T::PLUS},         {"-", T::MINUS},       {"*", T::STAR},         {"/", T::SLASH},
        {"%", T::PERCENT},      {"&", T::AND},         {"|", T::OR},           {"^", T::XOR},
        {"~", T::TILDE},        {"!", T::NOT},         {"<", T::LESS},         {">", T::GREATER},
        {"=", T::ASSIGN},       {".", T::DOT},         {",", T::COMMA},        {";", T::SEMICOLON},
        {":", T::COLON},        {"?", T::QUESTION},    {"(", T::LPAREN},       {")", T::RPAREN},
        {"[", T::LBRACKET},     {"]", T::RBRACKET},    {"{", T::LBRACE},       {"}", T::RBRACE},
        {"++", T::INCREMENT},   {"--", T::DECREMENT},  {"->", T::ARROW},       {"**", T::STARSTAR},
        {"<<", T::SHL},         {">>", T::SHR},        {">>>", T::SHRL},       {"<<<", T::SAMPLE},
        {"==", T::EQUAL},       {"!=", T::NOT_EQUAL},  {"<=", T::LESS_EQUAL},  {">=", T::GREATER_EQUAL},
        {"&&", T::AND_AND},     {"||", T::OR_OR},      {"=~", T::MATCH},       {"!~", T::NOT_MATCH},
        {"+=", T::ADD_ASSIGN},  {"-=", T::SUB_ASSIGN}, {"*=", T::MUL_ASSIGN},  {"/=", T::DIV_ASSIGN},
        {"%=", T::MOD_ASSIGN},  {"&=", T::AND_ASSIGN}, {"|=", T::OR_ASSIGN},   {"^=", T::XOR_ASSIGN},
        {"<<=", T::SHL_ASSIGN}, {">>=", T::SHR_ASSIGN}, {">>>=", T::SHRL_ASSIGN}, {".=", T::CONCAT_ASSIGN},
    };
    return table;
}

const std::map<std::string_view, int> &words() {
    static const std::map<std::string_view, int> table = {
        {"probe", T::PROBE},       {"global", T::GLOBAL},     {"private", T::PRIVATE},   {"function", T::FUNCTION},
        {"if", T::IF},             {"else", T::ELSE},         {"for", T::FOR},           {"foreach", T::FOREACH},
        {"in", T::IN},             {"limit", T::LIMIT},       {"return", T::RETURN},     {"delete", T::DELETE},
        {"while", T::WHILE},       {"break", T::BREAK},       {"continue", T::CONTINUE}, {"next", T::NEXT},
        {"string", T::STRING_TYPE}, {"long", T::LONG_TYPE},   {"try", T::TRY},           {"catch", T::CATCH},
        {"print", T::PRINT},       {"println", T::PRINT},     {"printf", T::PRINT},      {"printd", T::PRINT},
        {"printdln", T::PRINT},    {"print_char", T::PRINT},  {"sprint", T::PRINT},      {"sprintln", T::PRINT},
        {"sprintf", T::PRINT},     {"sprintd", T::PRINT},     {"sprintdln", T::PRINT},
    };
    return table;
}

TokenKind shown_kind(int kind) {
    switch (kind) {
        case T::END:
            return TokenKind::EndOfFile;
        case T::IDENTIFIER:
        case T::TARGET:
        case T::PRETTY:
        case T::PRINT:
            return TokenKind::Identifier;
        case T::NUMBER:
            return TokenKind::Number;
        case T::STRING:
            return TokenKind::String;
        case T::EMBEDDED_BLOCK:
            return TokenKind::EmbeddedCode;
        case T::INVALID:
            return TokenKind::Junk;
        default:
            return TokenKind::Operator;
    }
}

}  // namespace

Scanner::Scanner(const SourceFile &file, const std::vector<std::string> &args, std::set<size_t> *used)
    : file_(file), args_(args), used_(used) {
    size_t room = std::to_string(args.size()).size();
    for (const std::string &arg : args)
        room = std::max(room, quote(arg).size());
    std::string_view text = file.text();
    buffer_.resize(room + text.size() + 2);  // flex wants two NULs at the end
    std::memcpy(buffer_.data() + room, text.data(), text.size());
    text_begin_ = rest_ = buffer_.data() + room;
    text_end_ = text_begin_ + text.size();
    yyscan_t flex;
    tapir_syntax_lex_init(&flex);
    flex_ = flex;
    tapir_syntax__scan_buffer(buffer_.data() + room, text.size() + 2, flex);
}

Scanner::~Scanner() { tapir_syntax_lex_destroy(flex_); }

std::string_view Scanner::match() const {
    auto *yyg = static_cast<struct yyguts_t *>(flex_);
    return {yytext, static_cast<size_t>(yyleng)};
}

// Puts `text` in front of what is not scanned yet.
void Scanner::paste(const std::string &text, bool glued) {
    auto *yyg = static_cast<struct yyguts_t *>(flex_);
    char *at = yytext + yyleng;
    char *start = at - text.size();
    std::memcpy(start, text.data(), text.size());
    rest_ = at;
    last_end_ = glued ? start : nullptr;
    YY_BUFFER_STATE old = YY_CURRENT_BUFFER;
    // Switching away writes back the byte that flex has replaced by a NUL after the match.
    tapir_syntax__scan_buffer(start, static_cast<size_t>(text_end_ - start) + 2, flex_);
    tapir_syntax__delete_buffer(old, flex_);
}

Token Scanner::make(int kind) {
    Token token;
    token.kind = kind;
    std::string_view text = kind == T::END ? std::string_view(text_end_, 0) : match();
    token.glued = text.data() == last_end_;
    last_end_ = text.data() + text.size();
    token.ref.file = &file_;
    if (text.data() >= rest_) {
        size_t offset = static_cast<size_t>(text.data() - text_begin_);
        file_.locate(offset, token.ref.line, token.ref.column);
        token.ref.text = file_.text().substr(offset, text.size());
    } else {
        token.ref.line = pasted_for_.line;
        token.ref.column = pasted_for_.column;
        token.ref.text = file_.keep(std::string(text));
    }
    token.ref.kind = shown_kind(kind);
    return token;
}

bool Scanner::substitute(Token &token) {
    auto wrong = [&](Tag tag, std::string why) {
        token.value = std::move(why);
        token.problem = tag;
        return false;
    };
    std::string_view name = token.ref.text;
    if (match().data() < rest_) return wrong(Tag::NestedArgument, "script arguments may not mention script arguments");
    std::string text;
    if (name[1] == '#') {
        text = std::to_string(args_.size());
    } else {
        constexpr size_t max_length = 4;  // sign and the digits of 999
        size_t index = name.size() > max_length ? 0 : std::stoul(std::string(name.substr(1)));
        if (index == 0 || index > args_.size())
            return wrong(Tag::ScriptArgumentMissing,
                         args_.empty() ? "command line argument out of range: the script was given none"
                                       : "command line argument out of range [1-" + std::to_string(args_.size()) + "]");
        if (used_) used_->insert(index);
        text = args_[index - 1];
    }
    pasted_for_ = token.ref;
    paste(name[0] == '@' ? quote(text) : text, token.glued);
    return true;
}

namespace {

// Decimal, 0x hexadecimal or 0 octal, up to 2^64-1.
bool parse_number(std::string_view text, uint64_t &value) {
    unsigned base = 10;
    if (text.size() > 1 && text[0] == '0') {
        bool hex = text[1] == 'x' || text[1] == 'X';
        base = hex ? 16 : 8;
        text.remove_prefix(hex ? 2 : 1);
    }
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, static_cast<int>(base));
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Token Scanner::next() {
    auto invalid = [&](Tag tag, std::string why, bool ends) {
        Token token = make(T::INVALID);
        token.problem = tag;
        token.value = std::move(why);
        ended_ = ends;
        return token;
    };
    while (true) {
        int kind = ended_ ? static_cast<int>(T::END) : tapir_syntax_lex(flex_);
        switch (kind) {
            case RawArgument: {
                Token token = make(T::INVALID);
                if (substitute(token)) continue;
                return token;
            }
            case RawOperator:
                return make(operators().at(match()));
            case RawWord: {
                auto word = words().find(match());
                Token token = make(word == words().end() ? static_cast<int>(T::IDENTIFIER) : word->second);
                bool keyword = token.kind != T::IDENTIFIER && token.kind != T::PRINT;
                token.ref.kind = keyword ? TokenKind::Keyword : TokenKind::Identifier;
                return token;
            }
            case T::NUMBER: {
                Token token = make(kind);
                if (parse_number(token.ref.text, token.number)) return token;
                token.number = 0;
                token.problem = Tag::BadNumber;
                token.value = "number invalid or out of range";
                return token;
            }
            case T::STRING: {
                Token token = make(kind);
                token.value = unescape(token.ref.text.substr(1, token.ref.text.size() - 2));
                return token;
            }
            case T::EMBEDDED_BLOCK: {
                Token token = make(kind);
                token.value = token.ref.text.substr(2, token.ref.text.size() - 4);
                return token;
            }
            case OpenComment:
                return invalid(Tag::UnterminatedComment, "could not find the end of the comment that starts here", true);
            case OpenEmbedded:
                return invalid(Tag::UnterminatedEmbeddedCode,
                               "Could not find matching '%}' to close embedded function block", true);
            case OpenString:
                return invalid(Tag::UnterminatedString, "Could not find matching closing quote", false);
            case T::INVALID:
                return invalid(Tag::UnexpectedCharacter, "unexpected character in the script", false);
            case T::END:
                ended_ = true;
                return make(kind);
            default:
                return make(kind);
        }
    }
}

std::vector<std::string> keyword_names() {
    std::vector<std::string> names;
    for (const auto &[name, kind] : words())
        names.emplace_back(name);
    return names;
}

}  // namespace tapir::syntax
