"""The command line: `groups` names the module of each command, imported when it is typed.

What a command computes is in `core`; here its options are declared and its result is printed.
"""

COMPLETION_VARIABLE = "_COMMONSENSE_TUI_COMPLETE"
"""Environment variable that a shell sets to ask for completions; it passes no arguments."""
