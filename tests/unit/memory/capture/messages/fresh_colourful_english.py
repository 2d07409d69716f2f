"""What people type to an assistant in English in a person's own words: a message a line, by its label."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "preference": """
Nothing with coconut, it's a texture thing
I could live in bookshops
my guilty pleasure is trashy reality tv
Mondays are for quiet work, I keep them free of meetings
the beach is overrated, give me a forest
whisky yes, gin no
I'm a creature of habit, same lunch every day
crowds wear me out
my wife swears by audiobooks on the commute, I do podcasts
I read the ending of a novel first, always have
can't function without a nap after lunch
""",
    "rule": """
Nobody but me gets to approve refunds, so always ask
Numbers under ten get spelled out in everything I publish
I expect a draft before the final version, every time
If the answer is no, just say no
Go easy on the adjectives when you edit my stories
Leave my footnotes alone, always
Anything over 500 euros needs a second quote, that's our policy
Think twice before suggesting supplements, I take blood thinners
When in doubt pick the cheaper option
""",
    "decision": """
it's settled, Grandma moves in with us after Easter
we pulled the plug on the mobile app
I said no to the promotion
the vote is in: blue uniforms
so Berlin it is, we signed the lease this morning
Scotland wins, we're spending the summer there
I'm cutting sugar for good
We'll rewrite the importer in Go
the old logo stays
""",
    "fact": """
the missus is a pediatrician
three generations of us run this orchard
I'm hard of hearing in my left ear
my commute is 90 minutes each way
there are five of us at home plus two hamsters
I've got a green card since last year
I lost my wife two years ago
I'm colour blind so no red and green charts
we've been together since high school
I'm doing my residency in cardiology
my youngest has dyslexia
I drive a forklift for a living
Half of my family is in Ghana
We're a team of six, all remote
I never finished school
my roommate Ivo plays the drums at night
I turned vegan in 2021
Everything I own fits in a van
my Spanish is fluent, my German is so so
I have Fridays off
""",
    "fix": """
the mystery crash was a full temp partition
pulling the plug for ten minutes revived the printer
finally nailed it: the clock on the server was two hours off
a fresh virtualenv made the import error vanish
""",
    "todo": """
the library books go back on Thursday
I told Rosa I'd pick her up at six
passport photos, still on my list
got to sort out the insurance before we leave for Crete
the kids' vaccinations are coming up in September
Tuesday is bin day, don't let me miss it
I've been meaning to call the roofer
""",
    "question": """
is my plan any good
my bread is always dense, any clue why
what would you do if you were me
I live next to a school, can I fly a drone here
so I should always rinse it first, right?
do I sound rude in that mail
why is everyone suddenly into padel
remember how that trick went?
""",
    "hypothetical": """
I'd kill for a week in the mountains
one of these days I'll learn to sew
if push comes to shove we sell the car
let's say we picked the red one, what then
I may or may not be allergic to shrimp
who knows, perhaps we'll end up in Canada
""",
    "reported": """
my neighbor keeps saying we should get a dog
her husband works for the railway
The baker told me she never eats bread
everyone at work is suddenly vegan
my ex always wanted to live abroad
a colleague asked if we use Jira
the tour guide claimed he was born in this house
""",
    "narrative": """
we argued about the bill for an hour
I stepped on a lego this morning
The wedding was gorgeous, I cried twice
he ordered the soup and I had the fish
last weekend I cleaned out the whole attic
I nearly dropped the cake
we drove all night and arrived at dawn
""",
    "sarcasm": """
sure, I live to please
what a treat, three hours at the DMV
oh how I adore a surprise audit
my favourite part: the paperwork, hooray
""",
    "chatter": """
my brain hurts
I'll take your word for it
I owe you one
I'm all ears
that one I like
we're getting somewhere
I keep mixing those up
I had a feeling
I'm out of ideas
I need coffee
I'm half joking
I mostly get it now
our chat got long
I work on it
I found it in the end
I have a bad feeling about this
I'm new to this
""",
    "command": """
keep the jokes but lose the second verse
always use the blue one in this picture
give my hero a dog and a tragic past
list what I need for a picnic
turn this into a poem about my cat
stop after the third chapter
pick a name for my boat
Write an ad: we live for coffee
my title is too long, cut it
in this story I am a detective and I hate rain
""",
    "code": """
my for loop runs one time too many
our endpoint returns 500 when the body is empty
the class has two attributes and I can't read them
my regex matches too much
I import pandas and get a warning
""",
    "general": """
My grandmother's generation ate a lot of bread, everyone did
Most teams use some kind of kanban
Octopuses have three hearts
you always need salt in bread
we humans sleep a third of our lives
""",
}
