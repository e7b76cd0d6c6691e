"""Properties of reading, shown on replies that are put together from templates and options."""

from __future__ import annotations

from string import ascii_uppercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.answers.reader import Reading, read
from core.contract.question import Status

OPTIONS = {
    "en": ("the lamp goes out", "the cat wakes up", "the soup boils over", "the train is late"),
    "it": ("la lampada si spegne", "il gatto si sveglia", "la zuppa trabocca", "il treno tarda"),
    "zh": ("灯灭了", "猫醒了", "汤溢出来了", "火车晚点了"),
}
GIVEN = {
    "en": [
        "{}", "{}.", "Answer: {}", "answer: {}", "ANSWER: {}.", "The answer is {}.",
        "The correct answer is {}.", "So the answer is {}.", "Final answer: {}", "I choose {}.",
        "I would say {}.", "I'd go with {}.", "Therefore, {}.", "The most plausible option is {}.",
        "My answer is {}.", "The best choice would be {}.", "It must be {}.", "Thus, {}",
        "After some thought, I think the answer is {}.", "Answer: {}, because nothing else fits.",
        "It rains all day. The street gets wet.\n\nAnswer: {}", "### Answer\n\n{}",
        "At first one may doubt it. In the end the answer is {}.",
    ],
    "it": [
        "{}", "Risposta: {}", "La risposta è {}.", "La risposta corretta è {}.", "Scelgo {}.",
        "Quindi {}.", "La mia scelta è {}.", "Direi {}.", "Secondo me la risposta giusta è {}.",
        "Piove da ore.\n\nRisposta finale: {}", "L'opzione più plausibile è {}.",
    ],
    "zh": [
        "{}", "答案：{}", "答案是{}。", "正确答案是{}。", "我选择{}。", "因此，答案是{}。",
        "最合理的选项是{}。", "综上所述，答案为{}。", "天下雨了。\n\n答案：{}",
    ],
}  # fmt: skip
NAMED = ["{letter})", "({letter})", "{letter}) {text}", "{letter}. {text}", "{text}"]
MARKUP = [
    "**{}**", "*{}*", "`{}`", "\\boxed{{{}}}", "$\\boxed{{\\text{{{}}}}}$", "\"{}\"", "“{}”",
    "__{}__", "<b>{}</b>",
]  # fmt: skip
WRAPPED = [
    "<think>Is it A, or B? Answer: C</think>\n\n{}", "{}\n\n", "> {}", "- {}", "\n\n{}",
    "```\n{}\n```", "Let me think step by step.\n\n{}", "Sure! {}", "{}\n\nI hope this helps!",
]  # fmt: skip
UNREAD = {
    "en": [
        "I cannot answer this.", "I'm sorry, but I can't help with that.", "I do not know.",
        "None of the options is right.", "None of the above.", "Answer: none of these",
        "It is impossible to say.", "There is not enough information.", "It depends.",
        "Could you tell me more?", "Any of them would do.",
    ],
    "it": [
        "Non posso rispondere.", "Mi dispiace, non lo so.", "Nessuna delle opzioni è corretta.",
        "Non ci sono abbastanza informazioni.", "Dipende.",
    ],
    "zh": ["我无法回答。", "对不起，我不知道。", "以上都不对。", "信息不足，无法确定。"],
}  # fmt: skip
DENIED = {
    "en": [
        "The answer is not {}.", "{} is wrong.", "{} is not the answer.", "I would not choose {}.",
        "It cannot be {}.", "I would rule out {}.", "Not {}.", "{} is incorrect.",
        "{} can be ruled out.", "I do not think it is {}.", "Definitely not {}.",
    ],
    "it": [
        "La risposta non è {}.", "{} è sbagliata.", "Non scelgo {}.", "Non è {}.", "Escludo {}.",
    ],
    "zh": ["答案不是{}。", "不选{}。", "{}不对。", "排除{}。"],
}  # fmt: skip
OPEN = {
    "en": [
        "It might be {}.", "Perhaps {}.", "Is it {}?", "I wonder whether it is {}.",
        "It could be {}.", "The answer might be {}.",
    ],
    "it": ["Forse {}.", "Potrebbe essere {}.", "Mi chiedo se sia {}."],
    "zh": ["也许是{}。", "可能是{}。", "是否是{}，很难说。"],
}  # fmt: skip
BOTH = {
    "en": ["{} or {}", "Either {} or {}.", "Answer: {} or {}", "It is {} or {}.", "{} and {}"],
    "it": ["{} o {}", "{} oppure {}.", "Risposta: {} o {}", "{} e {}"],
    "zh": ["{}或{}", "{}或者{}。", "答案：{}或{}", "{}和{}"],
}  # fmt: skip
LANGUAGES = st.sampled_from(sorted(OPTIONS))
INDICES = st.integers(0, 3)


def name_of(language: str, index: int, form: str) -> str:
    return form.format(letter=ascii_uppercase[index], text=OPTIONS[language][index])


def one_of(data: st.DataObject, templates: dict[str, list[str]], language: str) -> str:
    return data.draw(st.sampled_from(templates[language]))


@pytest.mark.parametrize("language", sorted(OPTIONS))
@pytest.mark.parametrize("form", NAMED)
def test_an_option_that_is_given_in_any_way_is_read(language: str, form: str) -> None:
    for template in GIVEN[language]:
        for index in range(4):
            reply = template.format(name_of(language, index, form))
            assert read(reply, OPTIONS[language]) == Reading(Status.OK, (index,)), reply


@given(
    LANGUAGES,
    INDICES,
    st.sampled_from(NAMED),
    st.sampled_from(MARKUP),
    st.sampled_from(WRAPPED),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_markup_thinking_and_courtesy_do_not_change_what_is_read(
    language: str, index: int, form: str, markup: str, wrapped: str, data: st.DataObject
) -> None:
    name = markup.format(name_of(language, index, form))
    reply = wrapped.format(one_of(data, GIVEN, language).format(name))
    assert read(reply, OPTIONS[language]) == Reading(Status.OK, (index,)), reply


@given(LANGUAGES, st.permutations(range(4)), st.sampled_from(NAMED), st.data())
@settings(max_examples=100, deadline=None)
def test_options_that_are_denied_before_or_after_do_not_change_what_is_read(
    language: str, order: list[int], form: str, data: st.DataObject
) -> None:
    given_index, *others = order
    lines = [
        one_of(data, DENIED, language).format(name_of(language, other, form)) for other in others
    ]
    answer = data.draw(st.sampled_from(GIVEN[language][2:])).format(
        name_of(language, given_index, form)
    )
    for reply in ("\n".join([*lines, answer]), "\n".join([answer, *lines])):
        assert read(reply, OPTIONS[language]).picked in ((), (given_index,)), reply
    assert read("\n".join([*lines, answer]), OPTIONS[language]).picked == (given_index,)


@given(LANGUAGES, INDICES, st.sampled_from(NAMED), st.data())
@settings(max_examples=100, deadline=None)
def test_an_option_that_is_denied_or_doubted_is_not_read(
    language: str, index: int, form: str, data: st.DataObject
) -> None:
    for templates in (DENIED, OPEN):
        reply = one_of(data, templates, language).format(name_of(language, index, form))
        assert not read(reply, OPTIONS[language]).picked, reply


@pytest.mark.parametrize("language", sorted(OPTIONS))
def test_a_refusal_or_a_denial_of_all_is_not_read(language: str) -> None:
    for reply in UNREAD[language]:
        assert not read(reply, OPTIONS[language]).picked, reply
    for template in DENIED[language]:
        lines = [template.format(name_of(language, i, "{letter}) {text}")) for i in range(4)]
        assert not read("\n".join(lines), OPTIONS[language]).picked, lines


@given(LANGUAGES, st.permutations(range(4)), st.sampled_from(NAMED), st.data())
@settings(max_examples=100, deadline=None)
def test_two_options_without_a_conclusion_are_not_read(
    language: str, order: list[int], form: str, data: st.DataObject
) -> None:
    first, second = (name_of(language, index, form) for index in order[:2])
    reply = one_of(data, BOTH, language).format(first, second)
    assert not read(reply, OPTIONS[language]).picked, reply


@given(LANGUAGES, INDICES, st.sampled_from([") ", ": ", ". "]), st.data())
@settings(max_examples=100, deadline=None)
def test_options_that_are_restated_first_do_not_change_what_is_read(
    language: str, index: int, mark: str, data: st.DataObject
) -> None:
    restated = "\n".join(
        f"{letter}{mark}{text}"
        for letter, text in zip(ascii_uppercase, OPTIONS[language], strict=False)
    )
    answer = data.draw(st.sampled_from(GIVEN[language][2:])).format(f"{ascii_uppercase[index]})")
    reply = f"{restated}\n\n{answer}"
    assert read(reply, OPTIONS[language]) == Reading(Status.OK, (index,)), reply
    assert not read(restated, OPTIONS[language]).picked


@given(
    st.sets(st.integers(0, 4), min_size=1),
    st.sampled_from(["{}", "{})", "({})"]),
    st.sampled_from([", ", " and ", "; ", " & ", "\n", "\n- "]),
    st.sampled_from(
        ["Answer: {}", "The answers are {}.", "I choose {}.", "**Answer:** {}", "Risposta: {}",
         "答案：{}"]
    ),
)  # fmt: skip
def test_any_set_of_options_is_read_in_multiple_select(
    picked: set[int], form: str, between: str, template: str
) -> None:
    options = ("wait", "call home", "take the bus", "buy a map", "ask a guard")
    reply = template.format(between.join(form.format(ascii_uppercase[i]) for i in sorted(picked)))
    assert read(reply, options, multiple=True).picked == tuple(sorted(picked)), reply


TRUE = ["plausible", "coherent", "true", "consistent", "logical"]
FALSE = ["implausible", "false", "impossible", "inconsistent", "illogical"]
NEGATED = ["The story is not {}.", "It isn't {}.", "This story does not seem {}.",
           "I do not think the story is {}.", "The story cannot be {}.", "Not {}.",
           "The story is not really {}, because the lamp was off."]  # fmt: skip
AFFIRMED = ["The story is {}.", "It is {}.", "This seems {}.", "I think the story is {}.", "{}.",
            "So the story is {}.", "The events are {} in this order."]  # fmt: skip


@pytest.mark.parametrize(("words", "value"), [(TRUE, 1), (FALSE, 0)])
def test_every_denial_turns_true_and_false_round(words: list[str], value: int) -> None:
    for word in words:
        for template in AFFIRMED:
            reply = template.format(word).capitalize()
            assert read(reply, ("false", "true")).picked == (value,), reply
        for template in NEGATED:
            reply = template.format(word)
            assert read(reply, ("false", "true")).picked == (1 - value,), reply


@pytest.mark.parametrize("options", [("yes", "no"), ("true", "false"), ("sì", "no"), ("是", "否")])
def test_opposite_answers_without_a_conclusion_are_not_read(options: tuple[str, str]) -> None:
    for template in ("{} or {}", "{} and {}", "{}/{}", "Maybe {}, maybe {}.", "{}.\n{}."):
        for first, second in (options, options[::-1]):
            reply = template.format(first, second)
            assert not read(reply, options).picked, reply


@given(st.permutations(range(5)), st.sampled_from(["{} and {}", "{}, {}", "({}, {})", "[{}, {}]",
       "sentence {} and sentence {}", "Breakpoint: {}\nConflicting sentence: {}", "{}和{}",
       "le frasi {} e {}", "第{}句和第{}句"]), st.sampled_from(["{}", "Answer: {}", "**{}**",
       "The conflict: {}", "\\boxed{{{}}}", "Let me think.\n\n{}"]))  # fmt: skip
def test_two_numbers_are_read_in_either_order(order: list[int], pair: str, template: str) -> None:
    options = tuple(f"{a} and {b}" for a in range(5) for b in range(a + 1, 5))
    wanted = options.index("{} and {}".format(*sorted(order[:2])))
    reply = template.format(pair.format(*order[:2]))
    assert read(reply, options, lettered=False).picked == (wanted,), reply
