"""What the program itself says in a lesson, in the lesson's languages."""

from __future__ import annotations

from typing import Final

PREDICT: Final = "predict"
GO_ON: Final = "go on"
END: Final = "end"
BEGINNING: Final = "beginning"
ASKING: Final = "asking"
OTHERWISE: Final = "otherwise"
NOTHING_PREDICTED: Final = "nothing predicted"
BUSY: Final = "busy"
RECORDED: Final = "recorded"
NOT_RECORDED: Final = "not recorded"

_WORDS = {
    "en": {
        PREDICT: "1-{options} count hands · {reveal} reveals",
        GO_ON: "{next} goes on",
        END: "The end. {leave} leaves.",
        BEGINNING: "This is the beginning.",
        ASKING: "Asking the model…",
        OTHERWISE: "This step was written for another answer.",
        NOTHING_PREDICTED: "Nothing is predicted in this step.",
        RECORDED: "[recorded] {model}: answered when it was recorded, not now.",
        NOT_RECORDED: "The recording has no answer to this; the lesson goes on.",
        BUSY: "A run is asking this model; pause it first.",
    },
    "it": {
        PREDICT: "1-{options} contano le mani · {reveal} svela",
        GO_ON: "{next} avanti",
        END: "Fine. {leave} esce.",
        BEGINNING: "Questo è l'inizio.",
        ASKING: "Si interroga il modello…",
        OTHERWISE: "Questo passo era scritto per un'altra risposta.",
        NOTHING_PREDICTED: "In questo passo non si prevede nulla.",
        RECORDED: "[registrato] {model}: ha risposto quando è stato registrato, non ora.",
        NOT_RECORDED: "La registrazione non ha una risposta; la lezione va avanti.",
        BUSY: "Un'altra prova sta interrogando il modello; prima va messa in pausa.",
    },
}


def words(language: str, name: str, **places: object) -> str:
    """What is said, with what belongs in its places."""
    return _WORDS[language][name].format(**places)
