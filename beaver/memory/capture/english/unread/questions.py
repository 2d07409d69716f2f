"""What is asked is told of nobody: a question, with its mark or by its words."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_MARK: Final = r"\?\W*$"
_QUESTION_WORD: Final = (
    r"^(?:what|who|whom|whose|why|how|wdyt|any (?:idea|thoughts|tips|advice|chance|suggestions?)|thoughts)\b(?!ever)|"
    r"^(?:where|when|which) (?:is|are|was|were|do|does|did|can|should|will|would|to|one|of)\b"
)
_VERB_FIRST: Final = (
    r"^(?:is|are|am|was|were|do|does|did|can|could|would|will|should|shall|have|has|had|may|isn't|aren't|don't you|"
    r"doesn't|wouldn't|couldn't|shouldn't|won't) "
    r"(?:i|you|we|he|she|it|they|there|is|are|do|does|did|can|should|the|my|your|our|anyone|anybody|someone|this|that|"
    r"these|those|people|everyone|not|any|all)\b(?![^?]*,)"
)
_LATER_CLAUSE: Final = r"(?:^|[,:;] )(?:so |and |but )?"
_VERB_FIRST_LATER: Final = (
    rf"{_LATER_CLAUSE}(?:should|can|could|was|is|were|do|does|did) (?:i|we|you|it|he|she|they|the)\b"
)
_ASKS: Final = r"(?:do|does|did|is|are|was|were|can|could|should|shall|would|will|have|has|to|if|about|am)"
_QUESTION_WORD_LATER: Final = (
    rf"{_LATER_CLAUSE}(?:what|how|why|where|who|which(?: one)?) (?:{_ASKS}|(?:\w+ )?{_ASKS}) "
    r"(?:i|you|we|he|she|it|they|the|my|your|people|one)\b"
)
_WANTS_TO_KNOW: Final = (
    r"^(?:i (?:wonder|was wondering|am wondering|need to know|want to know|'d like to know|would like to know|"
    r"have a question)|i'm wondering|wondering|tell me|(?:i )?(?:need|want|looking for) (?:some |your )?(?:help|advice)|"
    r"help me|(?:i'm|i am) (?:trying|struggling|wondering|looking))\b"
)
_ANYWHERE: Final = (
    r"\bhow (?:many|much|long|far|often) (?:is|are|do|does|did|can|should|would|will)\b|"
    r"\b(?:how|what|where|which|whether) (?:do|should|can|would) (?:i|we|you|people|others)\b"
)
QUESTION: Final = Veto(
    one(_MARK, _QUESTION_WORD, _VERB_FIRST, _VERB_FIRST_LATER, _QUESTION_WORD_LATER, _WANTS_TO_KNOW, _ANYWHERE)
)
