"""What people say in English in their own words: what they like and how they want to be answered; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "preference": """
my taste buds basically peaked at strong black coffee
there's no lazy Sunday without a crossword in my book
if it's got rhubarb in it, count me in
loud restaurants are my personal hell
my brain shuts off when there are more than three bullet points
walls of text make my eyes glaze over
Show me a picture and I'll get it, show me a paragraph and I won't
a cold lake over a heated pool, any day of the week
the gym and I broke up years ago, walking it is
Marzipan? hard pass
my happy place is a messy workshop
subtitles on, always, even for English films
old houses have my heart
when it comes to wine I stay firmly on the white side
Anything with a spreadsheet in it puts me to sleep
I come alive after midnight
whoever invented open plan offices has never met me, I need silence
I'd walk a mile for a proper sourdough
give me the mountains, you can keep your beaches
weddings bore me stiff to be fair
the smell of lavender makes me gag
phone calls drain me, text is fine
my sort of holiday involves zero itinerary
type hints everywhere, that's just how my brain works
I tune out when people use jargon
rather have one good knife than a drawer full of gadgets
Winter's my season
for me coding without music is unthinkable
happiest with my hands in the soil
nothing wakes me up like a swim in the sea
I steer clear of anything deep fried
the deal breaker for me in a flat is no balcony
musicals? count me out
my perfect evening: slippers, soup, silence
I come from a tea drinking family and it shows
you can't go wrong with a cheese toastie in my eyes
a city without trams is no city to me
I've developed a taste for bitter lemon
skiing terrifies me, snowshoes I can do
my favourite people are early risers, being one
give me handwritten letters any day
a glass of milk before bed, that's my ritual
fast food and I parted ways long ago
puzzles keep me sane
I get my news from the radio only
I only wear cotton, everything else itches
anything but pink
couldn't live without my bike
the less stuff I own the better I breathe
I'm not one for big gestures
aubergines, meh, courgettes, yes
I cook with gas, induction feels like a toy
sitting still isn't in my nature
I'm a window shopper, malls in small doses only
I go for function over looks
my stomach rebels against cream
lavender, wood smoke, old books, those are my smells
spicy noodles fix everything for me
I'd go anywhere by train
video calls wear me out, voice is fine
what I look for in a hotel is a good bed and no music
I have a weakness for stationery shops
my alarm goes at five by choice
it's got to be real butter
I sketch to unwind
I'm picky about olive oil
football leaves me cold
I'm in bed by nine, every night
I'm an avid birder
swing dancing is my therapy
I binge on documentaries
gin is my tipple
the only sport I follow is snooker
I like to learn by doing, manuals come last
bullet points are easier on me than prose
tables I can take in at a glance, paragraphs I can't
one screen is enough for me, two distract me
I'm a tabs man
I keep my notifications off, all of them
Painting is how I unwind after a long day at the clinic
I've been running every morning for years and it keeps my head clear
Nothing relaxes me more than an evening in the garden with a podcast
Our family goes camping by the lake every summer, it's the highlight of our year
I always wear my grandmother's necklace, it's my good luck charm
Blue is my colour, it calms me down
we're a family of book lovers and the kids read to me every night
the violin has been my escape since I was eight
oysters are where I draw the line
don't get me started on raisins in salad
life's too short for instant noodles
the way to my heart is a good lasagna
I'd sooner eat my hat than a beetroot
dill is the devil's herb
sourdough or nothing
I melt for anything with hazelnut
give me a window seat and leave me be
country music does nothing for me
I thrive on tight deadlines
no coffee, no conversation, that's me
a bit of a wine snob over here
I'm hopeless without my morning run
tofu and I have never got along
my go-to comfort food is congee
you can keep your fancy cocktails, a plain lager suits me
can't stomach liver, never could
big cities swallow me whole, I'm a village kind of guy
long walks clear my head like nothing else
nothing ruins a meal for me like cold plates
sushi gets my vote every time
podcasts send me to sleep, audiobooks keep me awake
cooking relaxes me, baking stresses me out
I have zero patience for slow websites
Monopoly? over my dead body
a good thriller and I'm lost for the whole weekend
I swear by wool socks
silence is golden when I'm working
bright colours hurt my soul, give me greys and browns
the window stays open at night, even in January, or I can't sleep
romcoms are my weakness
pumpkin spice can go jump in a lake
I'm more at home in a library than in a bar
nobody gets between me and my afternoon nap
my ears can't take techno
the spicier the better
I like my eggs runny and my toast burnt
no fuss, no frills, that's how I travel
thick novels scare me, short stories are my thing
hot weather turns me into a puddle, autumn is when I'm alive
a fountain pen feels right in my hand, biros don't
team vim here
static typing lets me sleep at night
give me a REPL and I'm a happy bunny
graphs say more to me than tables do
I think best on paper
examples first, theory after, otherwise it doesn't stick with me
long emails never get read by me, three lines tops
I can't think with a TV on in the room
the earlier the flight the better as far as I'm concerned
hostels and me are done, too old for bunk beds
museums bore me after an hour
I collect fridge magnets wherever I go
dogs yes, cats no
give me rye over wheat any time
garlic goes in everything I cook
pineapple on pizza is a crime where I come from, and in my kitchen
I've never understood the fuss about golf
there's always a bag of pistachios in my drawer
my idea of fun is fixing old radios
vinyl sounds warmer, I won't be convinced otherwise
I lean towards the minimal when it comes to furniture
can't do early meetings, my brain boots at ten
rainy days suit me just fine
karaoke brings me out in hives
I'd pick a tent over a hotel
fish on Fridays, old habit
I drink my tea like builders do, strong with two sugars
big parties leave me empty, dinner for four is perfect
horses terrify me
chess keeps me going
I'm fussy about pillows
a salad isn't a meal to me
I need my eight hours or I'm a bear
swimming pools put me off, all that chlorine
lists calm me down
anything by Miyazaki makes me cry, in the best way
I won't touch anything with gelatine in it
you'd have to pay me to watch cricket
public speaking makes my knees wobble
I'm wild about Persian food
we're a no shoes indoors household
red wine gives me a thick head so I stick to beer
I go weak at the knees for old Volvos
physical buttons over touch screens please, every time
my tea has to be so strong the spoon stands up
the sea calls me, always has
to my mind a keyboard needs to click
I'm the slow travel sort
puns are my love language
crime podcasts get me through the washing up
lamb smells wrong to me
the theatre beats the cinema in my view
you had me at cheese, I'd marry a gouda
nine times out of ten I'll order the dumplings
I take my curry mild, I'm a wimp
flying makes me a nervous wreck
I never say no to a game of backgammon
Sundays are sacred, nobody gets me out of the house
my whole wardrobe is second hand and I like it that way
mint chocolate is toothpaste, change my mind
small cars for me, parking is hell
give me jazz or give me silence
I've gone off meat lately, can't face it any more
my sweet tooth will be the end of me
bagpipes make me weep with joy
I'm not built for the heat
tea first, then the world
the beach bores me to tears
I'm the type who reads the manual first
strong smells make me queasy
I sleep with the radio on
I've had it with superhero films, never again
plain yoghurt for me, none of the sweet stuff
I get seasick on a pedalo, so no boats
anything handmade wins me over
my heart belongs to the Dolomites
the quieter the place the happier I am
I've no head for heights
I'm all about brunch
I live for thunderstorms
ask anyone, I can't function before my second coffee
I refuse to eat in the car
haggling makes me cringe
I'm useless with sweet wine, dry or nothing
the fewer buttons the better
my reading is nearly all biographies
old black and white films, that's my thing
you won't see me in shorts
porridge with salt, as God intended
pigeons freak me out
I'm not the gym type
I listen to whale song to fall asleep, don't judge
a bath beats a shower hands down
slow mornings are what I live for
I've always had a thing for maps
I'm big on stationery
if there's a choice I go veggie
my motto is pack light
I'm soft on stray dogs
nothing with coconut, please, it makes me shudder
I can't be doing with small talk
winters I hibernate, summers I live outdoors
I don't trust elevators, stairs it is
I'm mad about tango
mashed potato is my medicine
I tend to skip lunch
cheap pens are a pet hate of mine
open fires, wool blankets, that's my kind of evening
I have no use for a smartwatch
brass bands make my day
rather walk in rain than drive in traffic
I take the window seat, you take the aisle
plants over flowers
I can't bear being late
""",
    "rule": """
treat me like a beginner whenever chemistry comes up
leave the main branch alone unless I give the go ahead
let's have Swedish on Fridays and English the rest of the week
One idea per message, otherwise I get lost
Hands off my formatting, I've got it how I like it
every answer ends with what I should do next, please make that a habit
round money to whole euros whenever it comes up
whatever we build here stays dependency free
keep politics out of it, now and later
tests before code, in this repo that's law
when you plan my day leave lunch free
we ship behind flags, full stop
please quit telling me to see a doctor
let the subject line of any mail you write for me stay under six words
in this house screens go off at eight
I sign off on every purchase, so ask first
refer to my partner as they
use the twelve hour clock with me
no references to my weight, please, ever
I want sources from the last five years only
whatever you cook up for me, keep it nut free
stop at three suggestions
you needn't explain basic SQL to me, I've done it for years
go easy on the metaphors
always give me the worst case too
don't round anything
I go by Dr in letters, never Mrs
spell my town with a double l
we write docs before code here
no merge without two approvals, that's how our team rolls
if I send a photo, describe it before you comment
speak up when I contradict myself
when I'm rambling, cut me off
always list the ingredients before the steps
let me know when you're guessing
avoid the passive in my texts
our numbers are always in thousands
no exclamation marks in mails to clients
I'd like you to end each lesson with a quiz
make every plan fit a wheelchair
never suggest seafood to me
only free software, please, I don't buy licences
stick to the facts with me and leave the cheering out
skip the pleasantries, get to the point, today and always
bear in mind I know nothing about finance, so explain the terms
if it's longer than a screen I won't read it, so keep answers under that
give it to me straight
kindly leave adverbs out of whatever you write in my name
mind the Oxford comma, I insist on it
when I say ASAP I mean within the hour
Fahrenheit means nothing to me, Celsius please
before you quote a price, say which currency it's in
my name has two t's, Brigitta with double t would be wrong: it's Brigita, write it so
any code you give me should run on Python 3.9
leave my typos alone unless I ask
each time you mention a study, name the year
the boss reads these reports, so nothing cheeky in them
I can't read red text, avoid it in charts you make for me
no spoilers, ever
when you list options put the cheapest on top
call it the lab, not the office
whoever touches the schema writes a migration, those are the rules here
don't you dare start a sentence with "Certainly"
treat the budget as fixed in everything you suggest
our house style says numbers up to twelve are spelled out
answers in Dutch, code comments in English, that's the deal
please don't ever book anything before nine for me
never more than one question at a time, I get overwhelmed
suggest only things I can get in Iceland
for dinners assume four people, one of them vegetarian
tone it down with the enthusiasm, in general
all my invoices go out with net 14
feature branches die after merge, that's the rule in our team
warn me whenever something costs money
you may swear with me, I don't mind
if you aren't sure say so, that beats a guess
let me do the maths myself, only check it
keep the kids' names out of anything that leaves this chat
plain words only
every draft should come in two versions, formal and casual
I expect tests with any function you write
no semicolons in our JavaScript
a heads up before you change any config, okay, that's all I ask, always
stay away from medical advice with me
sign my emails with just the initial, K.
whenever dates come up write the weekday too
our API errors are always problem+json, stick to that
put yourself in the shoes of a teacher when you talk to me
recipes without an oven please, I only have a hob
dates in this team are written year first
less is more, when in doubt cut
remember I'm on mobile, so no wide tables
use they for Sam, please
never assume I've got admin rights
start with a summary, then the details, for anything over a page
no cloud services in any solution you offer me
our commits are signed, no exceptions
think in steps and show me each, that's how I want it from now on
you can be blunt with me
keep replies in lower case, it soothes me
leave the moralising at the door
my docs are in AsciiDoc, so no markdown for those
for travel ideas stay under 500 euros
when talking about the project call it Heron, not by its old name
""",
}
