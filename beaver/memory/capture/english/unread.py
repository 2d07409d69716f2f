"""Sentences that English rules leave alone, and the words around a matter that are none of it."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import Veto

_ASKS: Final = r"(?:do|does|did|is|are|was|were|can|could|should|shall|would|will|have|has|to|if|about|am)"
VETOES: Final = (
    # A question, with its mark or by its words.
    Veto(
        one(
            rf"\?\W*$|^(?:what|who|whom|whose|why|how|wdyt|any (?:idea|thoughts|tips|advice|chance|suggestions?)|"
            rf"thoughts)\b(?!ever)|"
            r"^(?:where|when|which) (?:is|are|was|were|do|does|did|can|should|will|would|to|one|of)\b|^(?:is|"
            r"are|am|was|were|do|does|did|can|could|would|will|should|shall|have|has|had|may|isn't|aren't|"
            r"don't you|doesn't|"
            r"wouldn't|couldn't|shouldn't|won't) (?:i|you|we|he|she|it|they|there|is|are|do|does|did|can|should|"
            r"the|my|your|our|anyone|anybody|someone|this|that|these|those|"
            r"people|everyone|not|any|all)\b(?![^?]*,)|"
            rf"(?:^|[,:;] )(?:so |and |but )?(?:should|can|could|was|is|were|do|does|did) (?:i|we|you|it|he|she|"
            rf"they|the)\b|"
            rf"(?:^|[,:;] )(?:so |and |but )?(?:what|how|why|where|who|which(?: one)?) (?:{_ASKS}|"
            rf"(?:\w+ )?{_ASKS}) (?:i|you|we|he|she|it|they|the|my|your|people|one)\b|"
            r"^(?:i (?:wonder|was wondering|am wondering|need to know|want to know|'d like to know|"
            r"would like to know|have a question)|i'm wondering|wondering|tell me|"
            r"(?:i )?(?:need|want|looking for) (?:some |your )?(?:help|advice)|help me|(?:i'm|i am) (?:trying|"
            r"struggling|wondering|looking))\b|"
            r"\bhow (?:many|much|long|far|often) (?:is|are|do|does|did|can|should|would|will)\b|\b(?:how|what|"
            r"where|which|whether) (?:do|should|can|would) (?:i|we|you|people|others)\b"
        )
    ),
    # A supposition, a wish, a story.
    Veto(
        one(
            r"^(?:suppose|supposing|imagine|assume|assuming|let's (?:say|pretend|assume|suppose|imagine)|say i|"
            r"say we|pretend|what if|unless|wish|hopefully|hypothetically|"
            r"were i|had i|had we|thinking (?:about|of)|considering|if only|picture)\b|"
            r"\b(?:for example|e\.g\.|for instance|hypothetically|in (?:the|this|that) (?:\w+ )?(?:exercise|"
            r"game|story|example|scene|text|poem|problem|scenario)\b|in my (?:story|novel|dreams?|game|poem)|"
            r"my character|i wish|if only|would(?:'ve| have)|could(?:'ve| have)|should(?:'ve| have)|"
            r"as if|in (?:a perfect|an ideal|another) (?:world|life)|dreamt|dreamed|one day i|someday|some day)\b|"
            r"\b(?:i|we)(?:'d| would) (?:love|like|hate|want|prefer|be|need|never|have to)\b(?! (?:you|all|"
            r"every|answers?|a summary)\b)|"
            r"\bif (?:i|we) (?:was|were|had|ever|could|lived|worked)\b"
        ),
        frozenset({"rule"}),
    ),
    # What somebody else said, wrote or did, and what the assistant is told that it said.
    Veto(
        one(
            r"\b(?:you|your (?:memory|notes|records))(?:'ve| have| had)? (?:just |already |once |also )?(?:said|"
            r"told|mentioned|remembered|remember (?:that|me)|recalled?|"
            r"noted|wrote|claimed|think (?:that )?i|stored|saved|says?|shows?|suggested|know (?:that )?i)\b|"
            r"\baccording to\b|\bas (?:you|i|we) (?:know|said|mentioned|remember)\b|"
            r"^(?:(?:the|an?|some|this|that|my|his|her|their|our|one|dude|guy|people|everyone|somebody|someone|"
            r"he|she|they|it) (?:[\w'-]+ ){0,7}?|[\w'-]+ (?:[\w'-]+ ){0,4}?|)"
            r"(?:says?|said|claims?|claimed|stated?|states|argues?|argued|wrote|writes|announced|insists?|"
            r"insisted|complained|bragged|used to say|goes like this|reads|"
            r"swears)\b(?<!i say)(?<!i said)(?<!we said)(?<!i wrote)(?<!i write)(?<!we say)(?<!i swear)|"
            r"^(?!(?:i|we|my (?:doctor|dentist|gp|therapist))\b)(?:[\w'-]+ ){1,5}?(?:told|tells|asked|reminded)\b|"
            r"^my (?:[\w'-]+ )?(?:roommate|neighbou?r|friend|colleague|cousin|boss|coworker|"
            r"classmate)s?'s? (?:\w+ )?(?:brother|sister|friend|cousin|boss|son|daughter|girlfriend|boyfriend|"
            r"wife|husband|dog|cat|mother|mom|mum|dad)\b|^(?:apparently|rumou?r has it|i heard|i read|they say|"
            r"people say|word is|supposedly|allegedly|from the (?:manual|docs|book|article|wiki|website)|"
            r"in the (?:book|film|movie|show|novel|series|article|game|manual|sketch|song|story|play))\b|"
            r"\b(?:people say|it seems|so they say|just a rumou?r|rumou?r has it|she says|he says|they say|"
            r"he said|she said|they said)\b"
        )
    ),
    # A moment that is told of, or a state that passes: a decision, a fix or a rule may still be in it.
    Veto(
        one(
            r"^(?:yesterday|last (?:night|week|weekend|month)|this morning|earlier(?: today)?|the other day|"
            r"when (?:i|we) (?:was|were)|back (?:when|then|in)|once (?:i|we|upon)|as a kid|"
            r"saw|spent|watched|just (?:had|got|saw|finished))\b|\bused to\b|\b(?:was|were) going to\b|"
            r"\balmost (?:bought|went|got|did|died)\b|\b(?:i|we) (?:just )?(?:had|saw|met|missed|spent|walked|"
            r"watched|tried|forgot|felt|ate)\b(?! (?:a (?:stroke|heart attack|baby|son|daughter)|twins|"
            r"my (?:gall|append))\w*)"
        ),
        frozenset({"rule", "decision", "fix", "task", "remember"}),
    ),
    # Code, and a text to be made.
    Veto(
        one(
            r"^(?:#|//|/\*|\$|>|<|import |from \w+ import|def |class |const |let \w+ =|var |export |assert |"
            r"select |insert |update \w+ set|return |if \(|git |npm |pip |"
            r"\w*(?:error|exception|warning)\b:)|[{};]\W*$|\w\(\)|\w+\.\w+\(|=>|===?|!=|"
            r"^(?:act as|roleplay|translate|replace|compare|summari[sz]e|generate|fill in|rename|"
            r"change the (?:title|name|text|heading|label|color|colour)|set the|add (?:a|an|the|two|"
            r"three) (?:field|test|line|paragraph|column|function|button|comment|section|section)s?|"
            r"give me (?:an?|some|\d+|two|three|five|ten) (?!(?:[\w'-]+ ){1,4}over\b)|write (?:me )?(?:an?|some|"
            r"the)\b|make (?:it|the|this|that)\b|try again|make up|come up with|create|list|show me|find|"
            r"fix the|draft|sort|convert|explain|rewrite|shorten)\b(?!.*\b(?:every time|from now on|always|"
            r"whenever|in future|when(?:ever)? i|for me)\b)"
        ),
        frozenset(),
    ),
)
TONE: Final = one(
    r"^(?:oh|sure|yeah|yep|yes|great|wow|fantastic|brilliant|wonderful|perfect|lovely|of course|right|"
    r"ah|awesome)\b[ ,]*(?:yeah|sure|great|right|no|well|brilliant|wow)?[ ,]*"
    r"(?:because|i(?: (?:just|totally|absolutely|really|truly|so|simply))? (?:love|adore|prefer|enjoy|"
    r"live for|decided|have time)|another|my favou?rite|exactly what|just what|what i)|"
    r"\b(?:nothing (?:better to do|i (?:love|enjoy|like) more|like (?:an?|being))|just what i (?:needed|"
    r"always wanted)|exactly what i (?:needed|wanted)|because (?:obviously|clearly|i totally|"
    r"i have nothing)|"
    r"absolutely live for|my (?:hobby|favou?rite \w+) is apparently|who (?:doesn't|wouldn't)\W*$|"
    r"said no one|/s\W*$|, truly\W*$|, obviously\W*$|obviously i|apparently i (?:now )?(?:live|love|"
    r"work))|"
    r"\bi (?:just |really |absolutely |truly |totally |simply )+(?:love|adore|enjoy|love it|"
    r"adore it) (?:it when (?:the|my|your|people)|(?:being (?:woken|paged|ignored|stuck)|waiting|"
    r"getting paged|paying|sitting in traffic|standing in line|filling|queuing|queueing))|"
    r"\bi (?:just )?(?:love|adore) (?:getting paged|waiting (?:on|for|in)|being (?:woken|paged|ignored|"
    r"on hold)|paying taxes)"
)
CONDITIONAL: Final = one(r"^(?:if|when|whenever|in case|once|every time|each time|any ?time)\b")
SETTING: Final = one(r"^(?:in|on|at|for|when|whenever|if|after|before|during|as|last|since|with|by|most|every)\b")
LEAD: Final = one(
    r"^(?:(?:hi|hey|hello|heya|yo)(?: (?:there|all|(?-i:[A-Z])\w+))?\s*[,!.:-]?\s+|(?:ok|okay|kk|k|well|"
    r"so|oh|ah|yes|yeah|yep|no|nope|sure|right|thanks|thank you|thx|ty|great|"
    r"fine|cool|nice|perfect|also|actually|anyway|honestly|frankly|note|quick note|quick one|"
    r"quick thing|one thing|fyi|btw|by the way|to be honest|tbh|in short|ps|p\.s\.|context|for context|"
    r"background|heads up|update|"
    r"one more thing|just so you know|in fact|ok so two things|two things|after some thought|"
    r"after (?:a lot of|much|some|a long) [^,]{3,30}|in the end|lol|haha+|hm+|um+)\s*[,!:–-]+\s*|"
    r"(?:please|pls|plz|also|and|but|so|ok|okay|well|oh|btw|by the way|fyi|tbh|lol|haha+|hm+|um+|uh|"
    r"yeah|hey|actually|honestly|frankly|basically|anyway|personally|just so you know|"
    r"i want you to(?= (?:remember|note|keep in))|i'd like you to(?= (?:remember|note|keep in))|"
    r"you should(?= (?:remember|note|always|never))|(?:can|could|would|"
    r"will) you(?: please)?(?=\s(?:please |kindly |just )?(?:remember|note|remind|keep|make a note|"
    r"always|never|save|store|memori|bear|jot|stop|avoid|use|refer to me|call me|skip|answer|reply|"
    r"respond|speak|talk|only|not|nag|ping|nudge|add|put))|just|kindly)\s+)+"
)
REQUEST: Final = one(r"(?:can|could|would|will) you")
CLAUSE: Final = one(
    r"^(?:(?:yesterday|today|tomorrow|tonight|recently|lately|nowadays|finally|eventually|currently|usually|normally|"
    r"generally|sometimes|these days|in the end|(?:last|this|next|every|each) \w+)(?: \w+)? |"
    r"(?:in|on|at|during|since|after|before|for|by|with|as of|apart from|besides) "
    r"(?:[\w'-]+ ){1,4}?)(?=(?:i|we|my|our|i'm|we're)\b)|"
    r"(?:[,;:–—(]|\s-|\.\.+)\s*(?:(?:and|but|so|because|since|though|also|then|actually|honestly|btw|"
    r"by the way|tbh|plus|now|in the end) )*|"
    r"\s(?:and|but|so|because|since|though|plus)\s+(?:(?:also|so|then|now|actually|honestly|btw|"
    r"by the way|tbh|in the end) )*"
)
HEDGE: Final = one(
    r"\b(?:maybe|perhaps|possibly|might|probably|not sure|unsure|i guess|i suppose|kind of|sort of|"
    r"could be|tentatively|haven't (?:yet )?(?:decided|made up)|not yet|"
    r"just kidding|joking|kidding|lol jk|jk|who knows|undecided|either way|or something)\b"
)
PAYLOAD: Final = one(
    r"^(?:please |can you |could you )*(?:translate|rewrite|rephrase|correct|proofread|edit|"
    r"summari[sz]e|paraphrase|improve|polish|analy[sz]e|review|explain|classify|reply to|respond to|"
    r"repeat|check|write|draft|complete|fill in|give me|generate|roleplay)\b[^:]*:|"
    r"^here(?:'s| is| are) (?:the|an?|my|some) (?:\w+ )?(?:text|e-?mail|article|letter|draft|essay|"
    r"story|transcript|logs?|output|message|code|paragraph|document|poem|lyrics)\b|"
    r"^the (?:e-?mail|letter|text|article|message|ad|script|poem) (?:goes|says|reads|begins|starts)\b"
)
PRIVATE: Final = one(
    r"\b(?:do(?:n't| not)|never|please don't|not to|no need to) (?:remember|save|store|record|"
    r"memori[sz]e|keep|log|write down)\s(?:any of )?(?:this|that|it|what|these|anything)\b|"
    r"\boff the record\b|\bnot for the record\b|\bbetween (?:us|you and me)\b|"
    r"(?<!n[']t )(?<!nt )(?<!not )\bforget (?:this|that|what i)\b"
)
SECRET: Final = one(
    r"\b(?:passwords?|passphrase|passcode|pin(?: code| number)?|api[ _-]?key|secret(?: key)?|"
    r"access token|token|credentials?|cvv|(?:credit )?card number|ssn|social security number|"
    r"private key|recovery (?:code|phrase)|one-time code|otp)\b[^.]{0,40}?(?:\bis\b|\bare\b|=|:)"
)
