"""The items as plain pages, for screen readers: text, one form, and a region that is read aloud."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import jinja2
from aiohttp import web

from core.contract import registry
from core.contract.benchmark import Benchmark
from core.contract.collection import Collection, Item
from core.contract.rungs import build_rungs
from core.contract.setting import Choice, Setting
from core.layout.spoken_text import spoken_ladder, spoken_view
from core.models.protocol import Model
from core.runs.ladder import Answered, LayerFailed, ladder
from core.text.errors import CommonsenseError, SettingError
from core.text.escaping import escape_control_characters
from core.text.language import _, spoken
from tui.serving.gate import PAGE_POLICY

_MOST_ITEMS = 500
"""Most items of a collection that are listed."""
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class _Opened:
    """An item of a bundled collection, under the setting that was typed."""

    benchmark: Benchmark
    item: Item
    setting: Setting
    typed: str


class PlainPages:
    """Pages on the bundled collections; `load` loads the model when it is first asked."""

    def __init__(self, load: Callable[[], Awaitable[Model]]) -> None:
        self._load = load
        self._model: Model | None = None
        self._asking = asyncio.Lock()
        self._collections: dict[str, Collection] = {}
        loader = jinja2.FileSystemLoader(_HERE)
        self._page = jinja2.Environment(loader=loader, autoescape=True).get_template("plain.html")

    def routes(self) -> list[web.RouteDef]:
        """What is served, below /plain."""
        return [
            web.get("/plain", self._show_benchmarks),
            web.get("/plain/items", self._show_items),
            web.get("/plain/item", self._show_item),
            web.get("/plain/answers", self._answer),
            web.get("/look/plain.{kind:css|js}", self._style_or_script),
        ]

    async def close(self) -> None:
        """Unload the model."""
        if self._model is not None:
            await self._model.close()

    async def _show_benchmarks(self, _request: web.Request) -> web.Response:
        usable = registry.loaded()[0]
        links = [(_address("items", one.name), one.title) for one in usable]
        return self._render("commonsense-tui", links=links)

    async def _show_items(self, request: web.Request) -> web.Response:
        try:
            benchmark, collection = await asyncio.to_thread(self._open, request)
        except CommonsenseError as error:
            return self._refuse(error)
        entries = [collection.entry(i) for i in range(min(len(collection), _MOST_ITEMS))]
        links = [
            (
                _address("item", benchmark.name, entry.id),
                escape_control_characters(f"{entry.id}: {entry.label}"),
            )
            for entry in entries
        ]
        return self._render(escape_control_characters(collection.about.shown.title), links=links)

    async def _show_item(self, request: web.Request) -> web.Response:
        try:
            opened = await asyncio.to_thread(self._find, request)
            view = opened.benchmark.view(opened.item, opened.setting)
        except CommonsenseError as error:
            return self._refuse(error)
        switches = [
            f"{switch.key}={'|'.join(switch.values)}" if isinstance(switch, Choice) else switch.key
            for switch in opened.benchmark.switches(opened.item)
        ]
        item = {
            "text": "\n".join(spoken_view(view)),
            "benchmark": opened.benchmark.name,
            "id": opened.item.id,
            "set": opened.typed,
            "switches": escape_control_characters(" · ".join(switches)),
        }
        up = _address("items", opened.benchmark.name)
        return self._render(escape_control_characters(view.title), item=item, up=up)

    async def _answer(self, request: web.Request) -> web.Response:
        """The model's answers as text, one question a line."""
        try:
            opened = await asyncio.to_thread(self._find, request)
            async with self._asking:
                if self._model is None:
                    self._model = await self._load()
                lines = await _ask(self._model, opened)
        except CommonsenseError as error:
            lines = [escape_control_characters(str(error))]
        return web.Response(text="\n".join(lines))

    def _open(self, request: web.Request) -> tuple[Benchmark, Collection]:
        benchmark = registry.load(request.query.get("benchmark", ""))
        if benchmark.name not in self._collections:
            opened = registry.open_collection(benchmark, benchmark.samples())
            self._collections[benchmark.name] = opened
        return benchmark, self._collections[benchmark.name]

    def _find(self, request: web.Request) -> _Opened:
        benchmark, collection = self._open(request)
        item = collection.item(collection.find(request.query.get("item", "")))
        typed = request.query.get("set", "")[:1000]
        setting = Setting.from_words(benchmark.switches(item), typed.split())
        return _Opened(benchmark, item, setting, typed)

    def _refuse(self, error: CommonsenseError) -> web.Response:
        lines = [error.what, error.hint]
        shown = [escape_control_characters(line) for line in lines if line]
        status = 400 if isinstance(error, SettingError) else 404
        return self._render(_(error.title), lines=shown, status=status)

    def _render(self, title: str, *, status: int = 200, **parts: object) -> web.Response:
        say = {
            "start": _("All collections"),
            "all_items": _("All items"),
            "set": _("Switches as key=value, apart by blanks"),
            "show": _("Show it so"),
            "ask": _("Ask the model"),
            "answers": _("Answers"),
            "waiting": _("Asking the model…"),
        }
        text = self._page.render(language=spoken(), title=title, say=say, **parts)
        response = web.Response(text=text, content_type="text/html", status=status)
        response.headers["Content-Security-Policy"] = PAGE_POLICY
        return response

    async def _style_or_script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_HERE / f"plain.{request.match_info['kind']}")


async def _ask(model: Model, opened: _Opened) -> list[str]:
    rungs = build_rungs(opened.benchmark, opened.item, opened.setting)
    by_layer = {rung.layer.id: rung for rung in rungs}
    async with aclosing(ladder(model, opened.benchmark, rungs)) as events:
        async for event in events:
            if isinstance(event, (Answered, LayerFailed)):
                by_layer[event.rung.layer.id] = event.rung
    who = _("Answers of {model}:", model=escape_control_characters(model.info.name))
    demo = [_("Demonstration model: not a result.")] if model.info.demo else []
    return [who, *spoken_ladder(tuple(by_layer.values())), *demo]


def _address(page: str, benchmark: str, item: str = "") -> str:
    query = {"benchmark": benchmark} | ({"item": item} if item else {})
    return f"/plain/{page}?{urlencode(query)}"
