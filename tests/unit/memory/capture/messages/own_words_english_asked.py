"""What people say in English in their own words: what they ask, suppose or order; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "question": """
am I the only one who finds cucumber bitter
any idea why my basil keeps dying
who came up with daylight saving anyway
my neighbour plays drums at night, what are my rights
got a good recipe for lentils?
my son is scared of the dark, any tips?
I'm from a small town, do I need a car in Chicago?
what does my star sign say if I'm born in May
how do I tell my boss that I want fewer meetings
which is kinder to the knees, running or cycling
what's the difference between a decision and a choice
ever wonder why we park on driveways
is it weird to eat pizza with a fork
how would you break it to a child that the hamster died
what did people do before fridges
who is the patron saint of lost things
what's the fastest way from Lyon to Turin
do you reckon I'd like Iceland
how much notice do I have to give my landlord
whats the plural of octopus
any chance you know how to remove candle wax from linen
is it just me or do oysters taste like the sea
why do people put raisins in salad
what's a decent substitute for dill
how do I stop my sourdough from going flat
do reality shows pay the contestants
which wine goes with lasagna
what makes country music country
can a person live without coffee
is it rude to ask for the window seat
who invented the cocktail
how many hours should a teenager sleep
are village schools better than city ones
any book you'd call a perfect thriller
where do I get wool socks in summer
does brown suit a pale face
what's the hottest chilli in the world
is vim still worth learning
should I learn a typed language first
which airport has the earliest flights
do cats get along with dogs
what is the fuss about golf
is there a cure for fear of flying
how strong should builder's tea be
my husband snores, what can I do
I have one kidney, can I donate blood?
as a widow, am I entitled to anything
our son is four, is he too young for chess
my mother tongue is Tamil, how hard will Malayalam be
I'm dyslexic, are there fonts that help?
we use Jira, can it export to csv
my back hurts, see a doctor or wait
I'm colour blind, which palette should a chart have?
can I keep goats in a suburb
is O negative rare
what do judges wear under their robes
how do twins feel about dressing alike
do the Welsh still speak Welsh
if my visa runs out can I stay
what does one pay for a camper these days
why is my Pixel so slow
what do you call a baby whale
who pays for the wedding, usually
did the Quakers found Pennsylvania
when does Ramadan start this year
what happens to the deposit if I cancel
do I need a notary for this
what's due first, the tax or the form
have I told you about my brother
you know what I mean, right?
what did I say my dog's name was
could you be wrong about that
are you sure it's Celsius
what would you do in my place
isn't it strange that nobody minds
what if we did it the other way round
shall we pick Postgres then
was it a good idea to resign
do I take the ferry or the tunnel
""",
    "hypothetical": """
if money were no object I'd live in Kyoto
perhaps we'll end up with Vue, still up in the air
I could see myself settling in Porto someday
toying with the idea of a second dog
part of me wants to sell the house
say our server sits in Virginia, would latency matter
a part of me would love to chuck it all in and keep goats
unless something changes we may have to move
we were thinking of Crete, but then again perhaps Malta
pretend my name is Otto and you're my butler
wouldn't it be lovely to have a garden
still torn between the two schools
a balcony would be nice
I'd cook with gas if we had it
maybe skiing isn't so bad, I might try
I'm considering a yurt
if we don't find a school we'll teach them ourselves
I wouldn't mind living in Tartu
what if I were deaf
possibly June, possibly never
we may switch to Fedora at some point
suppose my cat had diabetes
I've half a mind to leave the band
I'd give my right arm for a week off
we could raise prices but I'm not convinced
let's suppose we run three clusters
if it were up to me we'd close on Wednesdays
I can imagine working nights
not sure whether to take the job
I was going to call him, should I
in a perfect world I'd own a loom
it could turn out that we need two
if I were a rich man I'd buy the mill
might go veggie one of these days
I may or may not keep the dog
perhaps I'll enrol, perhaps I won't
wish I lived by the sea
I'd love to have a guide to all this
if we had kids we'd move to the country
let's pretend I'm a judge
suppose I sell insurance for a living, what do I tell people at parties
we could hire a nanny, could we not
thinking about whether to fold the startup
I'm inclined to say yes but we'll see
what if I just quit
imagine a house with no bath
in theory we could move the server to Finland
should the worst happen we'd sell
I might be allergic, no idea
I suspect I'd be a terrible father
had we taken the ferry we'd be there by now
say I were born in 1950, what would my pension be
I'd rather die than sing in public, hypothetically
assume our backend is written in Go
not decided yet, leaning towards the Brompton
ask me next year whether I still want it
I keep wondering if I should go back to uni
would be fun to keep bees
we're weighing up two offers
it depends, if the bank says no we rent
there's talk of moving the launch but nothing's certain
if only I could fly
ideally I'd work four days
let's imagine the user hates red
whether we marry or not remains to be seen
I might try tango some day
for the sake of argument, I'm vegan
with a bit of luck we could be in by Easter
in an ideal world nobody would commute
if push comes to shove I'll drive
maybe Frida, maybe Olga, we go back and forth
I'm toying with getting a tattoo
say we drop Redis, what breaks
who knows, I may end up in Oslo
we've been talking about a second car, no idea yet
if he calls I'll tell him no
""",
    "command": """
walk me through it step by step
pull the numbers from the table and plot them
chop the intro in half
write a toast for a colleague who loves sailing and can't cook
dig into why this query is slow
outline a novel about a baker who moves to Mars
make her a nurse instead of a teacher
act as my grumpy editor
fill in the blanks: my name is blank and I live in blank
compute the monthly payment on 300k over 25 years
convert this to passive voice
rate these slogans from worst to best
put the second column in alphabetical order
take the role of a customer who can't stand waiting
call the hero Moose
make him a welder
put the dates in a table
set the story in a yurt
make the letter shorter and sign it from me
list hotels with a balcony in Porto
give the robot a stutter
draw me a map in ascii
pick the best of the three
add a joke about skiing
change every I to we
tell me about Kubernetes
write a rap about diabetes
translate the menu
find a rhyme for loom
replace cream with something else in this recipe
use fewer words here
put that in a nutshell
explain the last step again
write it from the cat's point of view
gather the forms, the photos and the fees before you go
check the weather, pack light and bring a torch
remove the unused imports
bump the version and update the changelog
extract this into a helper
add a timeout to the call
cover the error path with a test
inline that function
wrap it in a transaction
write me a limerick about oysters
give the hero a fear of heights
make it sound less like a robot
cut the second verse
draft a letter to my landlord about the heating
explain lupus in plain words
describe a village where nobody sleeps
put a goat in the last scene
give me ten slogans for a chip shop
rewrite it as if a pirate said it
make a table of the planets
name three films like this one
let the detective be deaf
sum this up in one line
plan a weekend in Bergen
turn the bullet points into prose
add a paragraph about the history of tea
pretend you're a wine snob
change the colour to green
write a dialogue between a nurse and a judge
suggest a title
tell me a joke about DNS
show me how to close a cursor
convert 56 inches to centimetres
translate this into Welsh
check my spelling in the text above
make the boss meaner
list the pros and cons of a second car
write the speech of a man who lost his job
help me phrase a no to the promotion
walk me through the proof
compare ferries and tunnels
quiz me on capital cities
invent a language for goats
give me a workout without weights
put the numbers in a chart
make me a study plan for the exam
guess my age
sing me something
let's play twenty questions
remove the last sentence
make that funnier
write a poem in which the speaker hates the sea
use a semicolon in the first line here
keep this one under fifty words
put the date at the top of this letter
expand on the third point
tell it from the dog's point of view
start over
give it another go
format this as json
explain it to a five year old
fix the indentation here
split this into two functions
say that again in French
draw up a contract for a flat share
pick a random number
order these by price
count the words
make the ending happier
do the same for the other file
ask me three questions about my novel
write an ad for someone who sells old radios
work out how much paint a 4 by 5 room needs
""",
    "code": """
SELECT name FROM people WHERE likes = 'tea';
user.bio = "I live in Madrid and love cats"
14:03:22 WARN retry budget exhausted, giving up
error[E0382]: borrow of moved value: `config`
if user.is_vegan: menu.remove("lamb")
INSERT INTO habits VALUES ('tea', 'always');
panic: runtime error: index out of range
const FAVOURITE = "blue"; // never change
[ERROR] we prefer IPv4, falling back
{"name": "Sasha", "lives_in": "Oslo"}
print("I hate mondays")
# my config, do not touch
git commit -m "decided on tabs"
curl: (7) Failed to connect to localhost port 8080
KeyError: 'birthday'
let me = Person { name: "Ada", age: 36 };
"title": "I moved to Berlin"
WARN always use https in production
""",
    "private": """
strictly off the record, the company is going under
don't jot this one down: I failed the exam
leave no trace of this, my son is in rehab
leave this out of your memory, I'm being sued
this one is not for the record: I drink too much
please erase what I said about my sister
between you and me and not to be stored, I hate my job
don't hold on to this, but my wife left
you didn't hear this from me and don't save it
I'd like that last bit forgotten
not for your files: we're broke
""",
    "general": """
cast iron should never go in the dishwasher
old dogs sleep a lot
every parent worries, it comes with the job
copper conducts better than iron
nurses work longer hours than most people think
the Danube runs through ten countries
developers prefer dark screens, by and large
a stitch in time saves nine
people with pollen allergies suffer in May
houses near the sea rust faster
talking about things helps a lot
support from friends makes a difference
a little time outdoors does wonders
it takes courage to start over
practice makes perfect, as they say
everyone deserves to be loved
oysters filter the water they live in
raisins are dried grapes
dill grows best in full sun
country music came out of the Appalachians
lager is brewed cold
Swedes queue for everything
people who bake need patience
most cats dislike water
stairs are good for the heart
villages are emptying all over Europe
fountain pens need good paper
static typing catches some errors early
a REPL is handy when learning
hostels are cheaper than hotels
wool keeps warm even when wet
Ramadan moves through the seasons
judges are appointed for life in some countries
guide dogs train for two years
Django ships with an admin
every team has its own rules
widows used to wear black
Rust has no garbage collector
bakers get up early
old farms often have wells
mechanics earn well in Norway
nobody likes a cold bath
it always rains in Bergen
Sundays are quiet in Switzerland
goats eat nearly anything
good tests are short
twins run in some families
""",
}
