"""Print a completion script for a shell.

It completes commands, options, units, families and constants, and after a
value the units that the value can be converted to.
"""

from argparse import ArgumentParser, Namespace

EXAMPLES = """
to install it:
  bash  echo 'source <(dimflow completion bash)' >> ~/.bashrc
  zsh   dimflow completion zsh > "${fpath[1]}/_dimflow"
  fish  dimflow completion fish > ~/.config/fish/completions/dimflow.fish
"""

# Each asks `dimflow __complete`, which prints one candidate a line, with a tab before its
# description if it has one. "$1" and $words[1] are the command as it was typed.
_BASH = r"""# bash completion for dimflow
_dimflow() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        line="${line%%$'\t'*}"
        case "${COMP_WORDS[COMP_CWORD]}" in
            [\"\']*) ;;  # inside quotes nothing needs to be escaped
            *) printf -v line %q "$line" ;;
        esac
        COMPREPLY+=("$line")
    done < <("$1" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _dimflow dimflow
"""
_ZSH = r"""#compdef dimflow
_dimflow() {
    local -a lines candidates
    lines=("${(@f)$(${words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
    candidates=("${(@)lines%%$'\t'*}")
    if [[ $lines[1] == *$'\t'* ]]; then
        lines=("${(@)lines/$'\t'/  -- }")
        compadd -l -d lines -a candidates
    else
        compadd -a candidates
    fi
}
if [[ $funcstack[1] == _dimflow ]]; then
    _dimflow "$@"
else
    compdef _dimflow dimflow
fi
"""
_FISH = r"""# fish completion for dimflow
function __dimflow_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] __complete $words[2..-1] 2>/dev/null
end
complete -c dimflow -f -a '(__dimflow_complete)'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def add_arguments(parser: ArgumentParser) -> None:
    """What `dimflow completion` takes."""
    parser.add_argument("shell", choices=list(SCRIPTS), help="the shell")


def run(arguments: Namespace) -> int:
    """Print the script."""
    print(SCRIPTS[arguments.shell], end="")
    return 0
