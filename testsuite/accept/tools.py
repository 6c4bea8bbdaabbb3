#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Every tool of the tree, as people use it: its help where nothing else is, and each of its options.

    tools.py STAP TOOLS WORK RELEASE [TEST...]     TOOLS is the folder of the scripts; tests are help, links, options, quiet, bash, modules and page

help      --help and its like without rights, in a root that has stap and the tools alone, within a number of instructions
links     stap-NAME is the tool NAME, and no other tool has the name
options   each option takes a value of its type, and a wrong one is refused at the option's line
quiet     no tool is translated with a warning
bash      bash completes names and choices of the tool
modules   values that are set at load change no module, and those of the others do
page      the scripts of docs/write-a-tool.md are translated without a word, and their help is what the page shows
Prints what is wrong; status 1 if anything is."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

MOST_INSTRUCTIONS = 25_000_000  # 20 ms of a slow processor, with the start of the program
NOBODY = 65534

stap, folder, work, release = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]), sys.argv[4]
TOOLS = sorted(path for path in folder.glob("*/*.stp"))
faults = []


def wrong(text):
    faults.append(text)
    print(text)


def run(*words, **settings):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, **settings)


def test_links():
    """A link with the name of a tool is its command; another name is stap's. A name means one tool."""
    named = {}
    for tool in TOOLS:
        for name in re.findall(r"[\w-]+", re.search(r'^@tool\("([^"]*)"', tool.read_text(), re.MULTILINE)[1]):
            if name in named:
                wrong(f"{name} is a name of {named[name]} and of {tool.stem}")
            named[name] = tool.stem
    for name, is_tool in (("stap-offcpu", True), ("stap-offcputime", True), ("stap-old", False)):
        link = work / name
        link.symlink_to(stap)
        said = run(link, "--help").stdout
        if said.startswith("offcpu - ") != is_tool or said.startswith("Usage: stap ") == is_tool:
            wrong(f"{name} --help: {said[:80]}")


def described(tool):
    said = run(stap, tool, "--describe")
    if said.returncode:
        sys.exit(f"{tool.stem} --describe: {said.stderr}")
    return json.loads(said.stdout)


def bare_root():
    """A root with the program, its libraries and the tools."""
    root = work / "root"
    (root / "tools").mkdir(parents=True)
    files = [stap] + re.findall(r"(/\S+) \(0x", run("ldd", stap).stdout)
    for file in files:
        place = root / str(file).lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    for tool in TOOLS:
        shutil.copy(tool, root / "tools")
    return root


def test_help():
    root = bare_root()
    for tool in TOOLS:
        for question in (["--help"], ["--man"], ["--describe"], ["--completion", "bash"]):
            said = run("chroot", f"--userspec={NOBODY}:{NOBODY}", root, stap, f"/tools/{tool.name}", *question, env={"PATH": os.environ["PATH"]})
            if said.returncode or said.stderr or tool.stem not in said.stdout:
                wrong(f"{tool.stem} {question[0]} in a bare root: status {said.returncode}, {said.stderr}")
        if any(len(line) > 80 for line in run(stap, tool, "--help").stdout.split("Examples:")[0].splitlines()):
            wrong(f"{tool.stem} --help has lines of more than 80 columns")
        page = work / "page.1"
        page.write_text(run(stap, tool, "--man").stdout)
        shown = run("mandoc", "-T", "lint", "-W", "error", page)
        if shown.returncode:
            wrong(f"{tool.stem} --man: {shown.stdout}{shown.stderr}")
    counted = run("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", stap, TOOLS[0], "--help")
    instructions = int(re.search(r"I *refs: *([\d,]+)", counted.stderr).group(1).replace(",", ""))
    print(f"{TOOLS[0].stem} --help: {instructions} instructions")
    if instructions > MOST_INSTRUCTIONS:
        wrong(f"--help takes {instructions} instructions, more than {MOST_INSTRUCTIONS}")


def good_value(option):
    """A value that is not the default."""
    kind, least = option["type"], option.get("least", 1)
    if kind == "choice":
        return next(choice for choice in option["choices"] if choice != option["default"])
    number = str(max(least, 1) if max(least, 1) != option["default"] else max(least, 1) + 1)
    return {"number": number, "percent": number, "duration": number + option.get("unit", ""), "size": number + "k", "text": "x",
            "pid": "1", "path": "/bin/true", "regex": "a.*", "points": "begin"}[kind]


WRONG = {"number": "1x", "percent": "5.5%", "duration": "7 weeks", "size": "4q", "pid": "0", "path": "", "choice": "no-such"}


def try_option(tool, option, required):
    """Pass 1 needs no rights and no kernel's headers; it takes the values."""
    def first_pass(*words):
        return run(stap, "-p1", "-r", release, tool, *words)

    name = "--" + option["name"]
    flag = option["type"] == "flag"
    word = option["positional"]
    value = [] if flag else [good_value(option)]
    taken = first_pass(*(value if word else [name, *value] if flag else [f"{name}={value[0]}"]), *([] if word else required))
    if taken.returncode:
        wrong(f"{tool.stem} {name} {value}: {taken.stderr}")
    if "letter" in option and first_pass("-" + option["letter"], *value, *required).returncode:
        wrong(f"{tool.stem} -{option['letter']} {value} is refused")
    bad = WRONG.get(option["type"])
    if bad is None:
        return
    refused = first_pass(*([bad] if word else [name + "=" + bad] if bad else [name, ""]), *([] if word else required))
    source = tool.read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if re.search(rf"@option\({option['global']},", text))
    if refused.returncode != 1 or "Invalid value" not in refused.stderr or f"{tool}:{line}:" not in refused.stderr:
        wrong(f"{tool.stem} {name}={bad}: status {refused.returncode}, {refused.stderr}")


def test_options():
    for tool in TOOLS:
        head = described(tool)
        if head["name"] != tool.stem or not head["group"] or not head["question"].endswith("?") or not head["examples"]:
            wrong(f"{tool.stem}: its head lacks a group, a question or an example: {head}")
        required = [good_value(option) for option in head["options"] if option["required"]]
        for option in head["options"]:
            try_option(tool, option, required)
        unknown = run(stap, "-p1", tool, "--no-such-option", *required)
        if unknown.returncode != 1 or f"{tool.stem} has no option '--no-such-option'" not in unknown.stderr:
            wrong(f"{tool.stem} --no-such-option: {unknown.stderr}")
        for example in head["examples"]:
            words = re.sub(r"\bPID\b", "1", example).replace("./prog", "/bin/true")
            read = run("bash", "-c", f'tool=$1 stap=$2; shift; set -- {words}; shift; "$stap" "$tool" "$@" --help', "-", tool, stap)
            if read.returncode or not words.startswith(tool.stem):
                wrong(f"{tool.stem}: the example '{example}' is no command: {read.stderr}")


def test_quiet():
    """No tool has a warning about itself. Those for processes that stand still say what they are about if nothing is named."""
    sleeper = subprocess.Popen(["sleep", "1000"])
    for tool in TOOLS:
        head = described(tool)
        # A text that is required is a function's name, of a program that has names.
        named = any(option["required"] and option["type"] == "text" for option in head["options"])
        required = [option["default"] if named else good_value(option) for option in head["options"] if option["required"]]
        if any(option["type"] == "path" for option in head["options"]) or head["group"] == "Kernel and dumps":
            continue  # it wants a program, or a kernel's debug information
        if "$1" in tool.read_text() or "@1" in tool.read_text():
            continue  # it wants the names of a program's variables
        still = head["group"] == "Processes and cores"
        program = pathlib.Path(stap).parent / "unwind_program" if named else "/bin/true"
        subject = ["-p", sleeper.pid, "--snapshot"] if still else ["-c", program]
        said = run(stap, "-p3", "-r", release, tool, *subject, *required)
        # Where frames stand is found out in pass 2.
        if said.returncode or re.sub(r"^process \d+ stood still for [\d.]+ ms\n", "", said.stderr):
            wrong(f"{tool.stem} is not translated without a word: {said.stderr}")
        said = run(stap, "-p3", "-r", release, tool)
        if still and (said.returncode != 1 or "--core=FILE" not in said.stderr):
            wrong(f"{tool.stem} without a process: status {said.returncode}, {said.stderr}")
    sleeper.kill()
    sleeper.wait()


def completions(tool, *words):
    """What bash offers for the last word; words are as bash splits them, at '=' too."""
    script = run(stap, tool, "--completion", "bash").stdout
    ask = 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _stap_tool_' + tool.stem.replace("-", "_")
    said = run("bash", "-c", script + ask + '; printf "%s\\n" "${COMPREPLY[@]}"', "-", tool.stem, *words)
    if said.stderr:
        wrong(f"{tool.stem}: bash says {said.stderr}")
    return said.stdout.split()


def test_bash():
    if completions(TOOLS[0], "--format", "=", "j") != ["json"]:
        wrong(f"bash offers {completions(TOOLS[0], '--format', '=', 'j')} for --format=j")
    for tool in TOOLS:
        for option in described(tool)["options"]:
            if option["positional"]:
                continue
            name = "--" + option["name"]
            if not any(word.rstrip("=") == name for word in completions(tool, name[:-1])):
                wrong(f"{tool.stem}: bash does not complete {name}")
            if option["type"] == "choice":
                for words in ([name, "=", ""], [name, ""], [name, "="]):
                    if completions(tool, *words) != option["choices"]:
                        wrong(f"{tool.stem}: bash offers {completions(tool, *words)} for {words}")


def test_modules():
    def module(*words):
        built = run(stap, "-p4", "-r", release, *words)
        if built.returncode or built.stderr:
            wrong(f"{words}: {built.stderr}")
        return built.stdout

    offcpu, oncpu, stackcount = folder / "waiting/offcpu.stp", folder / "cpu/oncpu.stp", folder / "points/stackcount.stp"
    plain = module(offcpu)
    for words in (["-m", "3ms"], ["--state=disk", "--whole", "5us"], ["-p", "1"]):
        if module(offcpu, *words) != plain:
            wrong(f"offcpu {words} builds another module")
    if module("--option", "min=7", offcpu) != plain:
        wrong("--option builds another module")
    if module(oncpu, "--hz=99") != module(oncpu):
        wrong("oncpu --hz=99 builds another module")
    if module(stackcount, "syscall.umask") == module(stackcount, "syscall.sync"):
        wrong("stackcount builds nothing for another probe point")


def test_page():
    page = (folder.parent / "docs" / "write-a-tool.md").read_text(encoding="utf-8")
    blocks = [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", page, re.MULTILINE)]
    scripts = [block for block in blocks if "probe vfs.read.return" in block]
    shown = [block for block in blocks if block.startswith("slowreads - ")]
    if len(scripts) != 3 or len(shown) != 1:
        wrong(f"docs/write-a-tool.md has {len(scripts)} scripts and {len(shown)} summaries")
    tool = work / "slowreads.stp"
    for number, script in enumerate(scripts):
        tool.write_text(script)
        said = run(stap, "-p3", "-r", release, tool)
        if said.returncode or said.stderr:
            wrong(f"script {number + 1} of docs/write-a-tool.md: {said.stderr}")
        if number == 1 and not run(stap, tool, "--help").stdout.startswith(shown[0]):
            wrong(f"docs/write-a-tool.md shows another summary:\n{shown[0]}\n{run(stap, tool, '--help').stdout}")


def main():
    tests = {"help": test_help, "links": test_links, "options": test_options, "quiet": test_quiet, "bash": test_bash, "modules": test_modules,
             "page": test_page}
    for name in sys.argv[5:] or tests:
        tests[name]()
    if not TOOLS:
        wrong(f"there is no tool in {folder}")
    print(f"{len(TOOLS)} tools, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
