"""Sets the state of a node under the cursor, one after the other."""

from __future__ import annotations

from core.contract.setting import NodeState, Setting
from core.contract.view import Graph
from core.text.errors import SettingError
from core.text.language import N_, _
from tui.browse.state import BrowseState

_IN_WORDS = {
    "do=1": N_("made to happen"),
    "do=0": N_("prevented"),
    "observe=1": N_("seen to happen"),
    "observe=0": N_("seen not to happen"),
    "imagine=1": N_("imagined to happen"),
    "imagine=0": N_("imagined away"),
}


def next_state(item: BrowseState, key: str, verb: str) -> str:
    """Set a node by a verb: to one state, at the next call to the other, then free it.

    Intervening and imagining begin with the opposite of the node's own state, observing with that
    state. A state that contradicts the rest is skipped; returns the skipped states and the reasons,
    empty without any. Raises `SettingError`.
    """
    switch = item.switch(key)
    assert isinstance(switch, NodeState)
    happens = _happens(item, key, item.history.now.with_value(switch, switch.default))
    first = happens if verb == "observe" else not happens
    ring = [f"{verb}={int(first)}", f"{verb}={int(not first)}", switch.default]
    now = item.history.now.value(switch)
    following = ring[ring.index(now) + 1 :] if now in ring[:2] else ring
    passed_over: dict[str, str] = {}
    for number, state in enumerate(following, 1):
        try:
            item.set(switch, state)
        except SettingError as error:
            if number == len(following):
                raise
            passed_over[_(_IN_WORDS[state])] = error.what.removesuffix(".")
        else:
            break
    if not passed_over:
        return ""
    return _(
        "{states}, because: {reasons}.",
        states=_(" and ").join(passed_over),
        reasons="; ".join(dict.fromkeys(passed_over.values())),
    )


def _happens(item: BrowseState, key: str, setting: Setting) -> bool:
    for section in item.benchmark.view(item.item, setting).sections:
        for node in section.nodes if isinstance(section, Graph) else ():
            if node.state_switch == key:
                return node.happens
    return True
