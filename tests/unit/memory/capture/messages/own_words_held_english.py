"""The other half of what people say in English in their own words: a coin chose it, and only totals of it are looked at."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "preference": """
Cilantro and I are sworn enemies
Put me near a window and I'm happy
heights and me, not a good mix
you'll never catch me on a cruise ship
I run on green tea and spite
nothing beats a rainy morning with the radio on, for me anyway
Coriander tastes like soap to me, so leave it out
small plates beat big mains every time if you ask me
sci-fi is my jam, romance not so much
I've got a soft spot for terrible puns
mushrooms give me the creeps
Dark mode or my eyes bleed
I'm allergic to meetings before ten, figuratively speaking
my kryptonite is salted caramel
camping is so not my thing
can't start the day without porridge
hand me a paper map over a GPS, thanks
surprises stress me out, give me a plan
trains beat planes in my world
I'll take a dog-eared paperback over a kindle till I die
I'm a sucker for brutalist buildings
Ketchup has no business on my plate
can take or leave chocolate, but liquorice, oh boy
black clothes only, it's a whole personality at this point
""",
    "rule": """
spare me the preamble, always
numbers first, story later, that's how you should answer me
Think twice before you use an exclamation mark with me
metric please, I don't speak inches
I'd be grateful if you never wrote "delve" again
our commits stay under 50 characters, religiously
British spelling throughout, colour not color
anything you quote needs a source next to it
no baby talk
from where I sit, code without comments doesn't count, so comment what you write for me
before any big refactor, run it past me
when in doubt, ask instead of guessing
flattery gets you nowhere with me, so drop it
a recipe for me must fit in thirty minutes
the nickname is Bo, nobody calls me Robert
If a link is dead don't give it to me, check first, every time
stick to the present tense in anything you draft for me
in my house style, lists have no full stops
pretend emojis were never invented
secrets live in the vault and nowhere else, that's how we work
hold the sarcasm, I take things literally
the tone I'm after with clients is warm but brief, remember that for every mail
kilos not pounds from now on
""",
    "decision": """
after weeks of back and forth it'll be the blue tiles
bit the bullet and signed up for the evening course
the verdict is in: we keep the tent and sell the van
Kotlin it shall be
pulled the plug on the newsletter
the vote went for the red logo
no more Jenkins for us, GitHub Actions took over
the wedding will be small, twelve people, end of discussion
waved through by the committee: the pilot starts in Leeds
we're putting our chips on Flutter
Backing out of the house sale, the survey was awful
our money's on the heat pump, contract's signed
pen's been put to paper, I start at Novo in March
Went back and forth, ended on the walnut desk
handing the shop over to my nephew next year, it's all arranged
""",
    "fact": """
three flights of stairs and no lift, welcome to my flat
the knees aren't what they were since I tore my meniscus in 2019
home is a narrowboat on the Kennet these days
bread pays my bills, I own a small bakery
the ring's been on my finger since 2011
celiac here
my passport says Brazil, my accent says Glasgow
Yours truly turned 52 last week
stairs are a problem, I've got MS
the ink on my divorce is barely dry
I hail from a tiny town near Galway
I've a pacemaker, so no saunas for me
we're a three generation household
Emma keeps me sane, eleven years together now
my desk is in the Oslo office but I'm remote most of the week
been sober for six years come May
colour blindness runs in my family and I got it too, red and green look the same
twin girls rule our roost, Ida and Maj
my old man left me a vineyard in Alentejo
behind our API sits a creaky Oracle 11 box
payments go through Stripe at our place
our data sits in Frankfurt for legal reasons
my twin Rasmus got the looks, I got the asthma
the landlord is my cousin, makes rent talks awkward
I've buried two husbands
Bristol's been home since uni
Grandma Ines lives in the annexe
quit smoking in 2015 and never looked back
I trained as a chef before law school happened
on paper I'm a consultant, really I fix printers
our oldest is off to Delft in September to study physics
allotment number 14 is my kingdom
retirement found me in 2021
the boat's berth is in Vlissingen, number 22
Since the stroke I type with one hand
the kiddo's autistic, so routines matter a lot at ours
""",
    "fix": """
guess what, unplugging the dongle cured the wifi drops
a symlink was to blame for the double imports
swapping the cable killed the flicker for good
after three days: the cache key lacked the locale, that was the whole bug
the trick was to warm the pan before the oil goes in, no more sticking
the certificate chain lacked the intermediate, adding it made the phones happy
the smell came from the trap under the sink, filling it with water ended it
""",
    "todo": """
the dentist gets me on the 14th at eight sharp
somebody, meaning me, has to book the cattery before Friday
nudge me about the tyres when October comes
the tax man wants my papers by 31 May
the plumber comes Wednesday between 9 and 12
still on my plate: the thank you cards
I owe Rachel a call about the cottage
don't let me leave without the blue folder tomorrow
one thing that mustn't slip: paying the nursery by Monday
viewing at the Elm Street house on Saturday, 11 am
Gotta remember the vaccine booster in January
grandpa's 80th is on the 12th and I have no present yet
jot down that the filters have to be changed in June
""",
    "explicit": """
store this somewhere: shoe size of Ben is 38
put this in your notes: the meter sits under the stairs
commit this to memory, my locker is number 218
tuck this away for later: paint colour of the hall is Skimming Stone
keep in the back of your mind that Leo comes home from Spain in June
""",
    "question": """
what's the best thing to do when a cake sinks in the middle
is oat milk better for the planet than soy
what should a left handed person look for in a guitar
why do cats knead blankets
how come my bread never rises
would you say I'm too old to learn the violin
does a vegan need to take b12
do I strike you as a morning person
where do people who hate crowds go on holiday
as a beginner, should I go with Go or Rust
can a person with asthma dive
why does everyone hate Comic Sans
how long does a tattoo take to heal
where would I even start with tax returns
should we go with the blue tiles or the grey ones
which db would you choose for a tiny side project
""",
    "hypothetical": """
in another life I'd have been a lighthouse keeper
let's say I'm allergic to bees and got stung, what then
one day I might give up meat, who knows
picture me as a landlord with ten flats
were I ten years younger I'd join the navy
imagine we had picked Mongo, what would break
might quit, might not, ask me again on Monday
if we lose the vote we'd move to plan B
I'd probably hate living by a motorway
what if the baby comes early
half thinking of dropping the course
Suppose a user prefers dark mode, where would you store that
there's a world in which I go back to teaching
could be that we switch to Postgres next year, nothing firm
had I known, I'd have taken the other job
assume my income is 50k and I have two kids
if I ever win the lottery you get a golden server
maybe the green one, maybe the grey, I can't make up my mind
it'd be something if they let us bring dogs to work
""",
    "reported": """
my hairdresser is convinced that cats can see ghosts
the bloke at the garage swears by synthetic oil
according to my dentist everybody brushes too hard
her majesty next door can't stand my music
the singer said he lives for his fans
a guy on the train told me he keeps eleven snakes
word is the CEO collects vintage cars
"I never eat breakfast" was the title of the talk
my mate's sister married a vicar
some colleague of my wife's got fired yesterday
Churchill supposedly slept till noon
the letter said we owe nothing
he goes, "I only drink tea", and orders a coffee
Mara's brother in law is a judge, I gather
my boss's boss collects stamps
rumour has it that the canteen goes vegetarian
the guy who fixed our roof is from Riga
the woman in the ad can't live without her blender
""",
    "narrative": """
the soup boiled over while I was on the phone
the dog threw up on the rug
we sat by the lake till the sun went down
my train was cancelled so I walked
bumped into my old teacher at the bakery
we queued two hours for a ferry that never came
the film was fine, the popcorn was better
spent the whole afternoon hunting for my glasses, they were on my head
cut my thumb slicing onions
had the worst haircut of my life today
our picnic ended in a hailstorm
my neighbour gave me a lift to the station today
walked the dog, fed the cat, collapsed
Someone parked in my spot again this morning
""",
    "sarcasm": """
oh wonderful, another update that moves all my buttons
living the dream, stuck in a call about calls
sure, because what I need in my life is more passwords
yeah nothing says fun like a tax audit
ah yes, my lifelong passion: filling in forms
love that for me
because obviously I have nothing better to do
nothing makes me happier than a merge conflict
yay, more homework
""",
    "chatter": """
righto, on with it
you've got a point there
my bad, wrong window
phew, what a relief
colour me impressed
I stand corrected
I'm starving, back in ten
sounds like a plan
I'm with you so far
oops, forgot the attachment
no worries at all, take your time
I'm pretty sure it was the third option
you lost me at monads
ok I'm lost
the first option speaks to me
your last answer was spot on
it's freezing in here
I'm on a train so the connection is dodgy
that rings a bell
my eyes hurt, enough for today
not quite what I had in mind
you read my mind
I can't thank you enough
this one's a keeper, the second draft I mean
all good on my end
I changed my mind, go with the first version
""",
    "command": """
give the villain a soft spot for kittens
sprinkle in a joke or two
turn this into a haiku
swap the second and third paragraphs
play devil's advocate for a minute
pick a name for a pub run by two ex sailors
dress it up for a board audience
explain pointers as if I were a medieval monk
find me three synonyms for melancholy
strip all the html tags from this
help me apologise to my sister
give me a quick rundown of the French Revolution
mock up a landing page for a dog hotel
let the story end in a storm
rhyme something with orange
be brutally honest about this poem
squeeze this into one paragraph
continue where you left off
""",
    "code": """
TypeError: cannot read properties of undefined (reading 'prefers')
fatal: refusing to merge unrelated histories
# FIXME we always use the old endpoint here
assert settings["theme"] == "dark", "user hates light mode"
export EDITOR=vim
<p>My favourite colour is green</p>
def likes(self): return self.prefs["likes"]
""",
    "general": """
tides are caused mostly by the moon
Finns drink more coffee than anybody
a good manager listens more than she talks
tomatoes and basil get along in the garden bed
In Japan slurping is polite
night owls tend to be creative, studies find
a watched pot never boils
most vegetarians eat eggs
""",
    "private": """
keep this between us and forget it after: I'm seeing a therapist
this stays out of your notes please, I had an affair
scratch that from memory, the thing about my salary
""",
    "other": """
I can't get the drawer to close
my screen has gone purple
the second paragraph feels clunky to me
he's the sort who never answers his phone
I'm knee deep in a cover letter, help
the printer hates me
my stomach's growling
this poem needs a better last line
the recipe calls for buttermilk and I have none
she's got a heart of gold
I'm stuck on level 7
the loop never ends and I can't see why
we're on a boat right now, the view is insane
I'm putting together a quiz on rivers
my sourdough looks flat today
he keeps bees and she keeps the books
the bride wore green, who does that
Liverpool were robbed last night
I feel under the weather today
the wind is howling outside
I was on hold for an hour
I got as far as chapter nine
can't find the setting you mentioned
I wonder what the sea is doing today
the character I'm writing is a retired spy who collects clocks
my laptop's fan sounds like a jet engine right now
my players are about to meet the dragon
the client wants it in blue
I'm between two titles, The Long Hill and Far Water
it's just the two of us tonight, dinner ideas
I've been staring at this regex since lunch
her cat is called Biscuit
that sentence is too long for my taste
your summary misses the point about tariffs
""",
}
