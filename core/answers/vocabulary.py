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
    r"|niente)|not(?: at all)?|\w{2,8}n't|cannot|never|no(?=\s+\w|\s*\Z)(?! doubt)|none|nothing|nor"
    r"|neither|without(?! (?:a )?doubt)|lacks?|(?:false|wrong|incorrect) (?:to|that)|falso che"
    r"|hardly|barely|scarcely|hard to|difficult to|far from|too \w+ to|non(?! c'è (?:alcun "
    r"|nessun )?dubbio)|né|mai|nessun[aoi]?|niente|nulla|senza(?! dubbio)|privo|priva",
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
    r"(?<!about )(?<!concerns )(?<!question of )(?<!matter of )whether|if(?! (?:I (?:had to|have to"
    r"|must)|forced|pressed|asked|you ask))|unless|might|may|could|perhaps|maybe|possibly|either"
    r"|normally|usually|generally|without (?:the|that|this|it)|for (?:example|instance)|per esempio"
    r"|at first(?: sight| glance)?|initially|depends?|unsure|uncertain|wonder\w*|tempt\w+"
    r"|I (?:\w+ )?(?:thought|considered|suspected)|assuming|suppose|hypothetically|would have been"
    r"|se|forse|magari|potrebbe(?:ro)?|dipende|di solito|normalmente|all'inizio|a prima vista"
    r"|prima pensavo",
    r"是否|假如|如果|也许|或许|(?<![最很更不])(?<!最有)可能(?![的性])|例如|比如|不确定|取决|通常"
    r"|一般|起初|先想到",
)
"""Leaves open what follows in its clause."""
CONDITION = words(
    r"if|unless|se|solo se|at first|initially|in general|in generale|generally|normally|usually"
    r"|in theory|in isolation",
    "如果|除非",
)
"""Restricts what stands before it."""
CONTRAST = words(
    r"but|however|yet|nevertheless|nonetheless|still|instead|actually|in fact|ma|però|tuttavia"
    r"|bensì|invece|eppure|in realtà",
    r"但是?|不过|然而|而是|却|其实|实际上",
)
"""Takes back or outweighs what came before."""
CONCLUSION = words(
    r"so(?! (?:is|are|do|does)\b)|così|therefore|thus|hence|consequently|accordingly|overall"
    r"|finally|ultimately|in conclusion|in summary|in short|to sum up|as a result|it follows that"
    r"|(?:this|which|that) (?:means|leaves)|means(?: that)?|leaves?|leaving|leads? (?:me|us) to"
    r"|concluding|quindi|dunque|perciò|pertanto|di conseguenza|in conclusione|in definitiva|insomma"
    r"|ne consegue che|significa che",
    r"∴|所以|因此|因而|综上(?:所述)?|总之|故(?!事)|于是|由此可见|可见|这意味着|剩下|说明",
)
"""Begins what a reply concludes."""
CORRECTION = (
    words(
        r"(?:no,? )?wait(?:,? no)?|hold on|correction|scratch that|on second thoughts?"
        r"|on reflection|(?:edit|update)(?=:)|let me (?:re\w+|correct)|I take that back|no,? sorry"
        r"|sorry,? no|my mistake|actually,? no(?= |,)|anzi|aspetta|mi correggo|ripensandoci",
        r"改[选为]|等等|等一下|更正|我错了",
    )
    + r"(?:[\s,]+no\b)?|\.\.\.\s?no\s?,"
)
"""Takes back all that came before."""
REASON = words(
    r"because|since|as|given|due to|for|which|where|when|while|although|though|considering|based on"
    r"|perché|poiché|siccome|in quanto|dato|visto|dal momento|mentre|sebbene|anche se",
    r"因为|由于|虽然|尽管|既然",
)
"""Begins a reason or a concession."""

BEST = (
    r"(?:(?:most|more|best|very|only|single|one|much|far|also|all|both|clearly"
    r"|probably) )*(?:correct|right|true|best|better|strongest|fitting|plausible|appropriate|likely"
    r"|reasonable|suitable|sensible|logical|accurate|probable|valid|convincing|supported|feasible"
    r"|viable|effective|useful|helpful)"
)
BEST_IT = (
    r"(?:(?:la|il|l'|le|più|quell[ae]|anche|tutt[ei]|entramb[ei]|molto) ?)*(?:corrett|giust|esatt"
    r"|plausibil|probabil|miglior|appropriat|adatt|ragionevol|sensat|valid)[aeio]"
)
BEST_ZH = r"(?:才|就|最|更|较|比较|都|是|为|很|也)*(?:正确|合理|合适|恰当|可能|符合|对|好|可信)"
ANSWER_NOUN = words(
    r"a[nsw]{2,4}e?rs?|ans\.?|response|reply|verdict|conclusion|decision|result|judge?ment|choices?"
    r"|picks?(?! up\b)|selections?|solutions?|guess|bet|money|label|letters?|prediction"
    rf"|the {BEST}|{BEST} (?:one|ones|options?|statement|outcome|explanation|suspect|culprit"
    rf"|criminal|state)"
    r"|guilty"
    rf"|rispost[ae]|soluzion[ei]|scelt[ae]|verdetto|conclusione|(?:opzion[ei]"
    rf"|letter[ae]) (?:{BEST_IT})",
    rf"(?:{BEST_ZH}的?)?(?:答案|选择|结论|判断)|{BEST_ZH}的?选项|回答|答(?=:)",
)
OPTION_NOUN = words(r"option|opzione", "选项")
"""What an answer is called only where a verb follows: not in "starting with option A"."""
"""What an answer is called."""
TOPIC = words(
    r"it|this|that|he|she|they|these|those|ones?|story|statement|narrative|sequence|events?|order"
    r"|scenario|situation|everything|account|claim|state|suspect|criminal|culprit|perpetrator"
    r"|killer|thief|murderer|person|outcome|effect|cause|conflicts?|issue|problem|concept|hypernym"
    r"|category|contradiction|inconsistency|sentences?|breakpoint|pair|plausibility|abstraction"
    r"|link|connection|relation|storia|racconto|vicenda|sequenza|fatti|eventi|stato|colpevole|ladro"
    r"|assassino|responsabile|effetto|causa|conflitto|problema|contraddizione|fras[ei]|quest[aoe]"
    r"|ciò|tutto",
    r"故事|情节|顺序|事件|状态|凶手|罪犯|嫌疑人|小偷|结果|冲突|矛盾|原因|问题|句子|这",
)
"""What a question is about, of which a reply says what it is."""
LINK = (
    r"(?:[:=>]|\s-\s|'s(?=\s)|"
    + words(
        r"is|are|was|were|be|been|seems?|sounds?|looks?|appears?|feels?|becomes?|concerns?"
        r"|involves?|(?:arises?|stems?|comes|results?) from|caused by|due to|about|(?:relates?"
        r"|refers?|amounts?) to|isn't|aren't|wasn't|on|(?:mak|render)(?:es?|ing)|to do with|rende|è"
        r"|e'|sono|sia|sarebbe(?:ro)?|essere|risulta|sembra|appare|riguarda",
        r"[是为选]|在于|应该?是?|涉及|看起来|似乎",
    )
    + r"|(?<=(?:很|是|并|太|不|这|事|节|序|件)))"
)
"""Joins a noun and what is said of it."""
CHOOSES = words(
    r"I(?:'d| would| will|'ll|'m| am| do|'ve| have)?(?: (?:have to|rather|therefore|thus|also"
    r"|personally|not|n't|never|strongly))* (?:choose|chosen|pick|select|selected|say|take"
    r"|go(?:ing)? (?:with|for)|opt(?:ing)? for|answer|accuse|blame|vote for"
    r"|lean(?:ing)?(?: towards?)?|call|going to say|conclude|settle (?:on|for)|do|believe|think"
    r"|suspect|guess)|I (?:do not|don't|can't|cannot|couldn't|wouldn't) (?:choose|pick|select|say"
    r"|take|think|believe)|I(?:'d| would)? (?:find|consider|deem|judge|rate)|(?:si tratta"
    r"|è (?:una )?questione) d\w+|choose|select|pick|go with|points? to|scelgo|sceglierei|scegliere"
    r"|rispond(?:o|erei)|direi|dico|opt[oe](?:rei)?|accuserei|voto|propendo|concludo|penso|credo"
    r"|ritengo|secondo me",
    r"(?:应该?|我|会|要|可以|故|因此)*选(?:择|取)?(?!项)|我(?:认为|觉得|判断|会说|的看法是)",
)
"""Says what is chosen."""
RIGHT = (
    r"[)\]\"'.:]*\s?,?\s?[(\"']?(?:-+ ?)?(?:"
    + words(
        rf"(?:is|are|was|were|would be|must be|seems?|remains?|looks?"
        rf"|appears)?(?: to be)?(?: therefore| thus| then| indeed| here)* ?(?:the |a |an |my |his "
        rf"|all )*(?:(?:{BEST}|answers?|guilty|culprit|criminal|thief|killer|murderer|perpetrator"
        rf"|(?:only )?one|closest|(?:physical |relevant |violated )?(?:state|cause|outcome)|choice"
        rf"|pick)|(?<=the )one)"
        r"|yes|sì|remains?|(?:it|that) is|is it|is what I\b[^.,;\n]{0,20}|gets my vote|(?:is"
        r"|are) possible|(?:may|might|could) (?:also |well )?(?:follow|happen|apply|help)|only"
        r"|fits?(?: best)?|works?|appl(?:y|ies)|holds?|wins|reach(?:es)?|emerges as|helps?(?: too)?"
        r"|(?:did|committed) (?:it|this|the \w+)|does(?=[.,!;]| too)"
        r"|makes? (?:the )?(?:most )?sense|follows(?: directly)?|would (?:help|work|do|fit)"
        r"|will (?:help|work)|can help"
        rf"|(?:è|e'|sono|sembra(?:no)?|resta|rimane|sarebbe) ?(?:{BEST_IT}|(?:la|il|l'"
        rf"|le) ?(?:mia )?(?:rispost|opzion|scelt|colpevol)\w+|quell[ae] {BEST_IT})|aiuta(?:no)?"
        rf"|funziona(?:no)?",
        rf"(?:选项|项|句)?(?:和[A-Z])?{BEST_ZH}|都?(?:可以|可行|有效)|符合|[✅✓✔]|是答案|有帮助"
        rf"|有用",
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
    r"[)\]\"':]*\s*[\"']?(?:-+ ?)?(?:"
    + words(
        r"(?:is|are|was|were|would|could|can|does|do|did|may|might|will|should|has|have|seems?"
        r"|looks?|be)?(?: (?:also|clearly|very|simply|just|obviously|therefore|thus|too|highly"
        r"|quite|all|both|be))*(?:n't| ?cannot| ?not| ?wrong| ?incorrect| ?false| ?unlikely"
        r"| ?implausible| ?impossible| ?irrelevant| ?innocent| ?out| ?ruled out| ?eliminated"
        r"| ?excluded| ?unreasonable| ?absurd| ?improbable| ?invalid| ?less\b.{0,12}"
        r"| ?contradict\w+| ?unrelated| ?no| ?useless| ?tempting| ?the least .{0,12})|isn't|aren't"
        r"|wasn't|doesn't|don't|didn't|won't|wouldn't|couldn't|can't|cannot|has (?:an )?alibi|(?:- "
        r"|: ?)no|(?:è|sono|sembra(?:no)?)? ?(?:chiaramente |molto |poco |del tutto )*(?:sbagliat"
        r"|errat|scorrett|improbabil|implausibil|impossibil|innocent|esclus|inutil|poco"
        r"|da escludere)\w*|non",
        r"(?:选项|项)?(?:都|也|是|显然|并|太|很)*(?:不|错|没|无)",
    )
    + r"|[❌✗✘]|\((?:no|wrong|false|incorrect|implausible)\))"
)
"""Says of what stands before it that it is wrong."""

LEAD = (
    r"(?:[\s\"'(\[{<>\-•·*:,!.✅✓✔➡\ufe0f\\=]|\d{1,2}[.)](?=\s)|\b(?:d?el)?l'|"
    + words(
        r"the|a|an|of|in|at|on|by|to|with|it|that|this|is|was|are|be|must|would|should|has|have|got"
        r"|about|options?|choices?|letters?|answers?|state|physical|steps?(?: \d{1,2})?|sentences?"
        r"|only|just|both|also|and|(?!unlikely|hardly|barely|scarcely|possibly)\w+ly|most|quite"
        r"|very|well|hmm|sure|okay|of course|then|here|qui|I|my|final|best|correct|right|caused"
        r"|think|believe|guess|say|that's|it's|there's|one|great|yes|all|there|stavolta"
        r"|questa volta|this time|this (?:case|situation|scenario|context)|questo|caso|del tutto"
        r"|molto|senza dubbio|without (?:a )?doubt|no doubt|mi|sembra|pare|seems|sounds|looks"
        r"|indeed|la|il|lo|le|gli|i|un|una|nel|nella|in|di|è|e'|sono|direi|opzion[ei]|letter[ae]"
        r"|rispost[ae]|stato|fisico|fras[ei]|solo|sia|certo|certamente|che|più|assolutamente"
        r"|ovviamente|esatto|ecco|proprio|penso|credo|probabilmente|beh|entramb[ei]",
        r"肯定|一定|并|绝对|在|大概率|大概|多半|很可能|选项|选择?|答案|最终|我|的|是|为|应该?|认为"
        r"|觉得|就|只|这|当然|嗯|好的|第|句子?|很|非常|完全|最|更|显然|这里|那么",
    )
    + r")*"
)
"""What may stand before an answer without saying anything else."""
