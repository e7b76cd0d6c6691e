"""The words with which a reply argues, in English, Italian and Chinese.

Patterns are for normalised text (`core.answers.cleaner`). Chinese words have no boundaries, others
stand between characters that are no Latin letters or digits.
"""

from __future__ import annotations

HAN = "\u3400-\u9fff"
LATIN = "A-Za-zÀ-ÿ0-9"


def words(latin: str, chinese: str = "") -> str:
    """The source of a pattern for any of these words."""
    whole = rf"(?<![{LATIN}])(?:{latin})(?![{LATIN}])"
    return f"(?:{whole}|{chinese})" if chinese else whole


NOT = words(
    r"non (?!c'è (?:alcun |nessun )?dubbio)(?:\S+ ){1,3}?(?:nessun[aoi]?|alcun[aoi]?|mai|nulla"
    r"|niente)|not(?: at all)?|\w{2,8}n't|cannot|never|no(?=\s+\w|\s*\Z)(?! doubt)|none|nothing"
    r"|nor|neither|without(?! (?:a )?doubt)"
    r"|lacks?"
    r"|false to|wrong to|hard to|difficult to|far from|too \w+ to"
    r"|non(?! c'è (?:alcun |nessun )?dubbio)|né|mai|nessun[aoi]?|niente|nulla|senza(?! dubbio)"
    r"|privo|priva",
    r"不(?![仅但只管])|没有?|无(?!疑)|未|并非",
)
"""Denies what follows in its clause."""
DISMISSES = words(
    r"rul(?:es?|ed|ing) out|eliminat\w+|exclud\w+|discard\w*|reject\w*|dismiss\w*|avoid\w*"
    r"|disqualif\w+|unlike|instead of|rather than|except(?: for)?|other than|apart from|over|than"
    r"|esclu\w+|scart\w+|elimin\w+|evit\w+|tranne|invece (?:di|che)|anziché|piuttosto che",
    r"排除|除了|而非",
)
"""Sets what follows aside."""
UNSURE = words(
    r"whether|if|unless|might|may|could|perhaps|maybe|possibly|either|normally|usually|generally"
    r"|at first(?: sight| glance)?|initially|depends?|unsure|uncertain|wonder\w*|tempt\w+"
    r"|I (?:\w+ )?(?:thought"
    r"|considered|suspected)"
    r"|assuming|suppose|hypothetically|would have been"
    r"|se|forse|magari|potrebbe(?:ro)?|dipende|di solito|normalmente|all'inizio|a prima vista"
    r"|prima pensavo",
    r"是否|假如|如果|也许|或许|(?<![最很更不])(?<!最有)可能(?![的性])|不确定|取决|通常|一般|起初|先想到",
)
"""Leaves open what follows in its clause."""
CONTRAST = words(
    r"but|however|yet|nevertheless|nonetheless|still|instead|actually|in fact|ma|però|tuttavia"
    r"|bensì"
    r"|invece|eppure|in realtà",
    r"但是?|不过|然而|而是|却|其实|实际上",
)
"""Takes back or outweighs what came before."""
CONCLUSION = words(
    r"so|therefore|thus|hence|consequently|accordingly|overall|finally|ultimately|in conclusion"
    r"|in summary|in short|to sum up|as a result|it follows that|(?:this|which|that) (?:means"
    r"|leaves)"
    r"|means(?: that)?|leaves?|leaving|leads? (?:me|us) to|concluding"
    r"|quindi|dunque|perciò|pertanto|di conseguenza|in conclusione|in definitiva|insomma"
    r"|ne consegue che"
    r"|significa che",
    r"所以|因此|因而|综上(?:所述)?|总之|故(?!事)|于是|由此可见|可见|这意味着|说明",
)
"""Begins what a reply concludes."""
CORRECTION = (
    words(
        r"(?:no,? )?wait(?:,? no)?|hold on|correction|scratch that|on second thoughts?"
        r"|on reflection"
        r"|let me (?:re\w+|correct)|I take that back|no,? sorry|sorry,? no|my mistake"
        r"|actually,? no(?= |,)"
        r"|anzi|aspetta|mi correggo|ripensandoci",
        r"等等|等一下|更正|我错了",
    )
    + r"|\.\.\.\s?no\s?,"
)
"""Takes back all that came before."""
REASON = words(
    r"because|since|as|given|due to|for|which|where|when|while|although|though|considering|based on"
    r"|perché|poiché|siccome|in quanto|dato|visto|dal momento|mentre|sebbene|anche se",
    r"因为|由于|虽然|尽管|既然",
)
"""Begins a reason or a concession."""

BEST = (
    r"(?:(?:most|more|best|very|only|single|one|much|far|also|all|both|clearly|probably) )*"
    r"(?:correct|right|true|best|better|strongest|fitting|plausible|appropriate|likely|reasonable"
    r"|suitable|sensible|logical|accurate|probable|valid|convincing|supported|feasible|viable"
    r"|effective|useful|helpful)"
)
BEST_IT = (
    r"(?:(?:la|il|l'|le|più|quell[ae]|anche|tutt[ei]|entramb[ei]|molto) ?)*"
    r"(?:corrett|giust|esatt|plausibil|probabil|miglior|appropriat|adatt|ragionevol|sensat"
    r"|valid)[aeio]"
)
BEST_ZH = r"(?:才|就|最|更|较|比较|都|是|为|很|也)*(?:正确|合理|合适|恰当|可能|符合|对|好|可信)"
ANSWER_NOUN = words(
    r"a[nsw]{2,4}e?rs?|ans\.?|response|reply|verdict|conclusion|decision|result|judge?ment|choices?"
    r"|picks?|selections?|solutions?|guess|bet|money|label|letters?|prediction"
    rf"|the {BEST}|{BEST} (?:one|ones|options?|statement|outcome|explanation|suspect|culprit"
    rf"|criminal|state)"
    r"|guilty"
    rf"|rispost[ae]|soluzion[ei]|scelt[ae]|verdetto|conclusione|(?:opzion[ei]"
    rf"|letter[ae]) (?:{BEST_IT})",
    rf"(?:{BEST_ZH}的?)?(?:答案|选择|结论|判断)|{BEST_ZH}的?选项|回答|答(?=:)",
)
OPTION_NOUN = words(r"options?|opzion[ei]", "选项")
"""What an answer is called only where a verb follows: not in "starting with option A"."""
"""What an answer is called."""
TOPIC = words(
    r"it|this|that|he|she|they|these|those|ones?|story|statement|narrative|sequence|events?|order"
    r"|scenario|situation|everything|account|claim|state|suspect|criminal|culprit|perpetrator"
    r"|killer"
    r"|thief|murderer|person|outcome|effect|cause|conflicts?|issue|problem|concept|hypernym"
    r"|category|contradiction"
    r"|inconsistency|sentences?|breakpoint|pair"
    r"|storia|racconto|vicenda|sequenza|fatti|eventi|stato|colpevole|ladro|assassino|responsabile"
    r"|effetto|causa|conflitto|problema|contraddizione|fras[ei]|quest[aoe]|ciò|tutto",
    r"故事|情节|顺序|事件|状态|凶手|罪犯|嫌疑人|小偷|结果|冲突|矛盾|原因|问题|句子|这",
)
"""What a question is about, of which a reply says what it is."""
LINK = (
    r"(?:[:=>]|\s-\s|'s(?=\s)|"
    + words(
        r"is|are|was|were|be|been|seems?|sounds?|looks?|appears?|feels?|becomes?|concerns?"
        r"|involves?"
        r"|(?:arises?|stems?|comes|results?) from|caused by|due to|about|(?:relates?|refers?"
        r"|amounts?) to"
        r"|isn't|aren't|wasn't|on|(?:mak|render)(?:es?|ing)|to do with|rende|è|e'|sono|sia"
        r"|sarebbe(?:ro)?|essere|risulta|sembra|appare"
        r"|riguarda",
        r"[是为选]|在于|应该?是?|涉及|看起来|似乎",
    )
    + r"|(?<=(?:很|是|并|太|不|这|事|节|序|件)))"
)
"""Joins a noun and what is said of it."""
CHOOSES = words(
    r"I(?:'d| would| will|'ll|'m| am| do|'ve| have)?(?: (?:have to|rather|therefore|thus|also"
    r"|personally"
    r"|not|n't|never|strongly))*"
    r" (?:choose|chosen|pick|select|selected|say|take|go(?:ing)? (?:with|for)|opt(?:ing)? for"
    r"|answer"
    r"|accuse|blame"
    r"|vote for|lean(?:ing)?(?: towards?)?|call|going to say|conclude|settle (?:on|for)|do|believe"
    r"|think|suspect|guess)"
    r"|I (?:do not|don't|can't|cannot|couldn't|wouldn't) (?:choose|pick|select|say|take|think"
    r"|believe)"
    r"|I(?:'d| would)? (?:find|consider|deem|judge|rate)|si tratta d\w+|choose|select|pick"
    r"|go with|points? to"
    r"|scelgo|sceglierei|scegliere|rispond(?:o|erei)|direi|dico|opt[oe](?:rei)?|accuserei|voto|propendo"
    r"|concludo|penso"
    r"|credo|ritengo|secondo me",
    r"(?:应该?|我|会|要|可以|故|因此)*选(?:择|取)?(?!项)|我(?:认为|觉得|判断|会说|的看法是)",
)
"""Says what is chosen."""
RIGHT = (
    r"[)\]\"'.:]*\s?,?\s?(?:-+ ?)?"
    r"(?:"
    + words(
        rf"(?:is|are|was|were|would be|must be|seems?|remains?|looks?|appears)?(?: to be)?"
        rf"(?: therefore| thus| then| indeed| here)* ?(?:the |a |an |my |his |all )*"
        rf"(?:(?:{BEST}|answers?|guilty|culprit|criminal|thief|killer|murderer|perpetrator"
        rf"|(?:only )?one|closest|(?:physical |relevant |violated )?(?:state|cause|sentence"
        rf"|outcome)|choice|pick)"
        rf"|(?<=the )one)"
        r"|yes|sì|remains?|(?:it|that) is|is it|fits?(?: best)?|works?|wins|reach(?:es)?"
        r"|emerges as|helps?(?: too)?|(?:did"
        r"|committed) (?:it|this|the \w+)|does(?=[.,!;]| too)|makes? (?:the )?(?:most )?"
        r"sense|follows(?: directly)?|would (?:help|work|do|fit)|will (?:help|work)|can help"
        rf"|(?:è|e'|sono|sembra(?:no)?|resta|rimane|sarebbe) ?(?:{BEST_IT}|(?:la|il|l'"
        rf"|le) ?(?:mia )?(?:rispost|opzion|scelt"
        rf"|colpevol)\w+|quell[ae] {BEST_IT})|aiuta(?:no)?|funziona(?:no)?",
        rf"(?:选项|项|句)?(?:和[A-Z])?{BEST_ZH}|都?(?:可以|可行|有效)|符合|[✅✓✔]|是答案|有帮助|有用",
    )
    + r")"
)
"""Says of what stands before it that it is right."""
STRONGLY = words(
    r"answers?|most|more|best|better|correct|right|guilty|culprit|criminal|thief|one|choice|pick"
    r"|remains?|it is|that is|is it|did it|wins|più|giust\w|corrett\w|esatt\w|miglior\w*|rispost\w"
    r"|opzion\w|scelt\w|colpevol\w|resta|rimane",
    r"最|更|正确|对|答案",
)
"""Singles one out among options that may all be right."""
WRONG = (
    r"[)\]\"':]*\s*(?:-+ ?)?(?:"
    + words(
        r"(?:is|are|was|were|would|could|can|does|do|did|may|might|will|should|has|have|seems?"
        r"|looks?|be)?"
        r"(?: (?:also|clearly|very|simply|just|obviously|therefore|thus|too|highly|quite|all|both"
        r"|be))*"
        r"(?:n't| ?cannot| ?not| ?wrong| ?incorrect| ?false| ?unlikely| ?implausible| ?impossible"
        r"| ?irrelevant"
        r"| ?innocent| ?out| ?ruled out| ?eliminated| ?excluded| ?unreasonable| ?improbable"
        r"| ?invalid"
        r"| ?less\b.{0,12}| ?contradict\w+| ?unrelated| ?no| ?useless| ?tempting"
        r"| ?the least .{0,12})"
        r"|isn't|aren't|wasn't|doesn't|don't|didn't|won't|wouldn't|couldn't|can't|cannot"
        r"|has (?:an )?alibi|(?:- |: ?)no"
        r"|(?:è|sono|sembra(?:no)?)? ?(?:chiaramente |molto |poco |del tutto )*(?:sbagliat|errat"
        r"|scorrett|improbabil"
        r"|implausibil|impossibil|innocent|esclus|inutil|poco|da escludere)\w*|non",
        r"(?:选项|项)?(?:都|也|是|显然|并|太|很)*(?:不|错|没|无)",
    )
    + r"|[❌✗✘])"
)
"""Says of what stands before it that it is wrong."""

LEAD = (
    r"(?:[\s\"'(\[{<>\-•·*:,!.✅✓✔➡\ufe0f\\=]|\d{1,2}[.)](?=\s)|\b(?:d?el)?l'|"
    + words(
        r"the|a|an|of|in|at|on|by|to|with|it|that|this|is|was|are|be|must|would|should|has|have|got"
        r"|about|options?|choices?|letters?|answers?|state|physical|steps?(?: \d{1,2})?|sentences?"
        r"|only|just|both|also|and|simply|clearly|probably|likely|most|definitely|certainly|surely"
        r"|really|entirely|perfectly|completely|quite|very|well|hmm|sure|okay|of course|then|here"
        r"|qui"
        r"|I|my|final|best|correct|right|caused|think|believe|guess|say|that's|it's|one|great|yes"
        r"|all|this case|questo|caso|del tutto|molto|senza dubbio|without (?:a )?doubt|no doubt"
        r"|mi|sembra|pare|seems|sounds|looks|absolutely|indeed|exactly|la|il|lo|le|gli|i|un|una"
        r"|nel|nella|in|di|è|e'|sono|direi"
        r"|opzion[ei]|letter[ae]|rispost[ae]|stato|fisico|fras[ei]|solo|sia|certo|certamente|che"
        r"|più"
        r"|assolutamente|ovviamente|esatto|ecco|proprio|penso|credo|probabilmente|beh|entramb[ei]",
        r"肯定|一定|并|绝对|在|大概率|大概|多半|很可能|选项|选择?|答案|最终|我|的|是|为|应该?|认为|觉得|就|只|这|当然|嗯|好的|第|句子?|很|非常|完全|最|更"
        r"|显然|这里|那么",
    )
    + r")*"
)
"""What may stand before an answer without saying anything else."""
