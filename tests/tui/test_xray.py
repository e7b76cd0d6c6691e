"""The X-ray: what it shows is what was read, and nothing is read while it is closed."""

from __future__ import annotations

import pytest

from core.blocks.heads import HeadFigure
from core.blocks.lens import LensTable
from core.contract.question import shares
from core.contract.view import Statements
from core.layout.heatmap import HeatMap
from core.models.blocks import Action, Edit, Part, margin
from core.models.inspectable import Inspectable
from core.runs.priors import content_free
from tests.tui.support import Opened, opened
from tests.tui.xray_panes import drawn, look, model_of, pane, ready, text, xray
from tui.blocks.xray_cursor import Face
from tui.blocks.xray_pane import XrayPane
from tui.browse.ladder_pane import LadderPane
from tui.browse.live_pane import LivePane
from tui.shell.command import Place
from tui.shell.commands import COMMANDS
from tui.shell.text_screen import TextScreen


async def test_it_shows_what_was_read_and_where_the_answer_settles() -> None:
    async with opened() as program:
        found = await look(program)
        model = model_of(program)
        assert isinstance(model, Inspectable)
        question = found.table.question
        prompt, options = found.subject.prompt_of(question), question.continuations()
        reading = await model.blocks.read(prompt, options)
        without = found.subject.prompt_of(content_free(question))
        prior = await model.blocks.read(without, options)
        final = await model.score(prompt, options)
        assert found.table == LensTable(question, reading, final, prior)
        first = " ".join(" ".join(drawn(program)[:2]).split())
        assert LensTable.outcome(found.table) in first
        said = text(program)
        for must in ("projection, not a belief", model.info.name, f"{len(found.tokens)} tokens"):
            assert must in said
        pane(program).scroll_end(animate=False)
        await program.press()
        said = text(program)
        assert "Zero-shot" in said
        assert "demonstration" in said


async def test_the_last_column_is_what_the_ladder_says() -> None:
    async with opened() as program:
        # The first story's answer leads by so little that another processor might turn it.
        await program.press("j")
        await program.ask()
        found = await look(program)
        rung = program.browse.query_one(LadderPane).rung()
        assert rung is not None
        assert rung.verdict is not None
        assert found.table.leading[-1] == rung.verdict.answer
        # Two ways through the model round otherwise, and how far depends on the processor.
        assert shares(found.table.reading.scores[-1]) == pytest.approx(
            shares(rung.verdict.scores), abs=0.005
        )


async def test_the_cell_under_the_cursor_is_told_exactly() -> None:
    async with opened() as program:
        found = await look(program)
        await program.press("home", "j", *["h"] * 20, "l")
        place = pane(program).position
        assert (place.option, place.block, place.above) == (0, 1, False)
        score = found.table.reading.scores[1][0]
        share = found.table.shares()[1][0]
        assert f"after block 1: {100 * share:.1f} %, " in text(program)
        assert f"{score.logprob:.3f} nats" in text(program)
        await program.press(*["l"] * 20)
        assert pane(program).position.block == found.table.blocks - 1


async def test_along_the_tokens_every_block_says_what_comes_next() -> None:
    async with opened() as program:
        found = await look(program)
        await program.press("home")
        for _ in range(3):
            # Nothing is awaited between them, so none rests for any time.
            pane(program).sideways(-1)
        await ready(program)
        token = found.last - 3
        assert pane(program).position.token == token
        reading = found.positions[token]
        assert f"After token {token}, “{found.token(token)}”" in text(program)
        block = pane(program).position.block
        assert reading.guesses[block][0].text.strip() in text(program)
        # What is not under the cursor for any time is not read.
        assert set(found.positions) == {token}
        await program.press("j", "j")
        assert not pane(program).position.above
        await program.press("escape")
        assert pane(program).position.token == found.last
        assert found.table.outcome() in text(program)
        await program.press("home", *["h"] * (found.last + 5))
        assert pane(program).position.token == 0


async def test_attention_is_drawn_beside_the_statements() -> None:
    async with opened() as program:
        found = await look(program)
        await program.press("number_sign")
        await ready(program)
        widget = pane(program)
        attended = found.attended[widget.position.block]
        view = program.browse.state.view()  # type: ignore[union-attr]
        weights = attended.by_part(widget.position.head, view)
        statements = [
            one
            for block in view.sections
            if isinstance(block, Statements)
            for one in block.statements
        ]
        assert set(weights) == {one.id for one in statements}
        assert sum(weights.values()) == pytest.approx(attended.on_item(0), abs=1e-9)
        await program.until(lambda: "%" in program.story)
        heaviest = max(weights.values())
        assert f"{100 * heaviest:.0f} %" in program.story or ">99 %" in program.story
        assert "Attention of head 0" in text(program)
        for head in range(1, attended.heads):
            await program.press("number_sign")
            assert widget.position.head == head
        await program.press("number_sign")
        assert widget.position.face is Face.OPTIONS
        await program.until(lambda: "%" not in program.story)


def lines_of(program: Opened) -> dict[tuple[str, str], float]:
    """The weights of the graph's links that have one."""
    graph = program.browse.graph.graph
    assert graph is not None
    found = ((link.source, link.target, link.weight) for link in graph.links)
    return {(one, other): weight for one, other, weight in found if weight is not None}


@pytest.mark.parametrize("benchmark", ["com2", "accord"])
async def test_attention_is_drawn_on_the_lines_of_a_graph(benchmark: str) -> None:
    async with opened(benchmark=benchmark) as program:
        if benchmark == "accord":
            await program.press("plus", "plus")
            program.browse.enter_pane("ladder")
            await program.press("G")
        found = await look(program)
        assert lines_of(program) == {}
        await program.press("number_sign")
        await ready(program)
        await program.until(lambda: bool(lines_of(program)))
        widget = pane(program)
        attended = found.attended[widget.position.block]
        question = found.table.question
        prompt = found.subject.prompt_of(question)
        if benchmark == "com2":
            ((ends, weight),) = lines_of(program).items()
            cause, effect = (
                span.tokens
                for end in ends
                for span in attended.spans
                if span.tokens and text_of(program, end) in span.text
            )
            reading = await found.subject.blocks.attention(
                prompt, question.continuations(), widget.position.block, [(effect[1] - 1, *cause)]
            )
            assert weight == pytest.approx(reading.path_weights[0][0])
            assert "of the two ends of a link" in " ".join(program.story.split())
        else:
            weights = attended.by_part(0, program.browse.state.view())  # type: ignore[union-attr]
            assert len(lines_of(program)) >= 3
            assert set(lines_of(program).values()) <= set(weights.values())
        await program.press("x")
        await program.until(lambda: lines_of(program) == {})


def text_of(program: Opened, node: str) -> str:
    graph = program.browse.graph.graph
    assert graph is not None
    return next(one.text for one in graph.nodes if one.id == node)


async def test_what_the_parts_add_is_the_margin() -> None:
    async with opened() as program:
        found = await look(program)
        await program.press("percent_sign")
        await ready(program)
        added = found.attribution
        assert added is not None
        assert found.compared is not None
        assert found.compared[0] == found.table.leading[-1]
        gold = found.table.gold
        assert gold in found.compared
        parts = added.embedding + sum(added.attention) + sum(added.feed_forward) + added.constant
        assert parts == pytest.approx(added.margin + added.deviation)
        assert f"by {added.margin:.3f} logits" in text(program)
        await program.press("home")
        assert f"Block 0: attention {added.attention[0]:+.3f}" in text(program)
        widget = pane(program)
        await program.press(*["end"], *["J"] * 30)
        assert f"{added.margin:+.3f}" in "\n".join(drawn(program)) + widget.copy_text()[1]
        assert f"{added.deviation:+.3f}" in widget.copy_text()[1]
        await program.press("percent_sign")
        assert widget.position.face is Face.HEAD_MAP


async def test_heads_have_three_maps() -> None:
    async with opened() as program:
        found = await look(program)
        widget = pane(program)
        prompt, options = found.subject.prompt
        compared = found.compared
        assert compared is not None
        await program.press("percent_sign")
        for shown in HeadFigure:
            await program.press("percent_sign")
            await ready(program)
            assert (widget.position.face, widget.position.shown) == (Face.HEAD_MAP, shown)
            assert str(shown) in str(widget.border_title)
            assert found.heads.done(shown) == found.access.blocks * found.access.heads
        assert found.heads.attribution is not None
        for block, heads in enumerate(found.heads.attribution.heads):
            whole = found.heads.attribution.whole.attention[block]
            assert sum(heads) == pytest.approx(whole, abs=0.05)
        everywhere = (0, len(found.tokens))
        await program.press("k", "h")
        block, head = widget.position.block, widget.position.head
        edit = Edit(Action.ZERO, Part.HEAD, block, *everywhere, head)
        patch = await found.subject.blocks.patch(prompt, options, [edit])
        expected = margin(patch.patched, *compared) - margin(patch.plain, *compared)
        zeroed = found.heads.tables[HeadFigure.ZEROED].figures
        assert zeroed[block][head] == pytest.approx(expected)
        assert found.heads.pair is not None
        assert f"Head {head} of block {block}:" in text(program)
        assert "as in the contrast prompt" in widget.copy_text()[1]
        await program.press("percent_sign")
        assert widget.position.face is Face.OPTIONS


async def test_another_rung_and_another_item_are_read_in_turn() -> None:
    async with opened() as program:
        first = (await look(program)).table.question
        # An item with a conflict has more to ask.
        program.browse.enter_pane("list")
        await program.press("j")
        await program.until(lambda: pane(program).xray is not None)
        second = (await ready(program)).table.question
        assert second.item != first.item or second.setting != first.setting
        program.browse.enter_pane("ladder")
        await program.press("end")
        await ready(program)
        rung = program.browse.query_one(LadderPane).rung()
        assert rung is not None
        assert xray(program).table.question == rung.question
        await program.press("x")
        assert not program.browse.has_class("-xray")
        assert pane(program).xray is None
        assert pane(program).readings() == ()


async def test_many_options_are_reached_by_scrolling_with_the_finding_in_sight() -> None:
    async with opened(size=(80, 24)) as program:
        found = await look(program)
        program.browse.enter_pane("list")
        await program.press("j", "j")
        program.browse.enter_pane("ladder")
        await program.press("end")
        await ready(program)
        found = xray(program)
        options = found.table.question.options
        assert len(options) >= 8
        program.browse.enter_pane("xray")
        await program.press("home", *["j"] * len(options))
        lines = drawn(program)
        assert "Settles" in lines[0] or "tie" in lines[0]
        assert any(options[-1] in line for line in lines)
        assert f"“{options[-1]}”" in text(program)


async def test_every_face_fits_every_terminal() -> None:
    async with opened(size=(24, 8)) as program:
        await look(program)
        for keys in (
            (),
            ("number_sign",),
            ("escape", "percent_sign"),
            ("percent_sign", "home", "h"),
        ):
            await program.press(*keys)
            await ready(program)
            for size in ((24, 8), (60, 20), (80, 24), (140, 40)):
                await program.pilot.resize_terminal(*size)
                await program.pilot.pause()
                assert any(line.strip() for line in drawn(program))
            await program.press("end", "J", "home", "pagedown", "pageup", "l", "h")
            assert any(line.strip() for line in drawn(program))


async def test_beside_a_graph_the_ladder_takes_what_the_pane_leaves() -> None:
    async with opened(size=(80, 24), benchmark="accord") as program:
        await look(program)
        ladder = program.browse.query_one(LadderPane)
        await program.until(lambda: ladder.region.bottom == pane(program).region.y)
        assert ladder.region.height >= 8
        await program.press("tab")
        await program.until(lambda: program.browse.query_one(LivePane).region.height == 9)
        assert not ladder.region
        assert pane(program).region.height >= 10


async def test_it_is_copied_and_exported_as_tables() -> None:
    async with opened() as program:
        found = await look(program)
        maps = pane(program).readings()
        assert [type(one) for one in maps] == [HeatMap]
        assert maps[0].leading == found.table.leading
        what, copied = pane(program).copy_text()
        assert what == "blocks"
        assert found.table.outcome() in " ".join(copied.split())
        assert "projection, not a belief" in " ".join(copied.split())
        await program.press("number_sign")
        await ready(program)
        assert len(pane(program).readings()) == 2


async def test_help_explains_the_three_ways_of_looking() -> None:
    async with opened() as program:
        await look(program)
        await program.press("question_mark")
        await program.until(lambda: isinstance(program.app.screen, TextScreen))
        prose = program.app.screen.prose  # type: ignore[attr-defined]
        for must in ("nostalgebraist 2020", "Vaswani et al. 2017", "Elhage et al. 2021"):
            assert must in prose


def test_three_to_six_keys_are_named_below_it() -> None:
    named = [
        one for one in COMMANDS if "xray" in one.footer and one.where in (Place.BROWSE, Place.APP)
    ]
    assert 3 <= len(named) <= 6


async def test_keys_of_the_pane_say_so_where_it_is_closed() -> None:
    async with opened() as program:
        await program.press("number_sign", "percent_sign")
        assert not program.browse.has_class("-xray")
        assert not program.browse.query(XrayPane)
