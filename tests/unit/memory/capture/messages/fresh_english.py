"""What people type to an assistant in English, a message a line, by its label; for measuring alone."""

from __future__ import annotations

from typing import Final

PLAIN: Final[dict[str, str]] = {
    "preference": """
I prefer hiking trails without too many tourists
Fish is fine but I really dislike oysters
I enjoy puzzles, the 1000 piece kind
my favorite season is autumn
not into rom coms at all
I usually take the 7:40 train
we love eating outside in summer
i'd rather have a call than a long email thread
I like my answers with examples
I hate crowded gyms so I train at home
I always buy organic milk
my kids love anything with pasta
I'm a cat person
I never drink soda
For holidays we prefer somewhere quiet
Classical music helps me concentrate
I can't stand the smell of lavender
I tend to work late in the evening
green tea in the morning, coffee after lunch, that's my routine
""",
    "rule": """
Always show me the source code license
Please write dates as day month year
from now on use they/them for me
don't use tables in your answers
never suggest places with loud music
When I ask about trains, assume I have a Bahncard
Make every answer fit on a phone screen
you don't need to explain basic python to me
Keep the tone of my newsletter light and funny
we never deploy after 4pm
Please stop using the word delve
when you write emails for me, skip the pleasantries
Use my first name only
Our branches are named feature/ticket number
each pull request needs two reviewers
""",
    "decision": """
We decided to postpone the trip until spring
I decided to go back to school
we chose the smaller apartment
let's go with option two for the logo
We've agreed to split the costs evenly
going forward the team will use Slack instead of email
I've made up my mind, I'm quitting in January
we're going to adopt a second dog
The meeting was moved to Wednesday
I'm switching from Spotify to Tidal
We finally picked a name for the band: Low Tide
after looking at three schools we went with Montessori
we won't renew the contract with Acme
the launch date is set for October 3
""",
    "fact": """
I live in Ghent with my girlfriend
my name is Oluwaseun but everyone calls me Seun
I work as a data analyst for an insurance company
My wife is expecting in March
I'm allergic to bee stings
we have two cats called Pixel and Dot
My sister lives in Toronto
I was born in 1988
I'm a retired teacher
I have a daughter, she's 7
My car is a red Mazda 3
I'm studying law in Leuven
we moved into a new flat last month
My parents own a vineyard in Tuscany
I don't eat gluten because I have celiac disease
Our dog Bruno is scared of thunder
I broke my ankle in March and still can't run
I speak Dutch, French and some Arabic
I have an interview at Philips on Monday
my manager's name is Claire
I've worked here for six years
My husband is diabetic
our son starts kindergarten in September
I play bass in a punk band
I'm 29 and live alone
my boss is moving to the Paris office
I run a small online shop for handmade candles
I use Arch Linux on my laptop
We have a cabin by the lake near Tampere
my flight to Lisbon leaves on the 12th at 6am
I'm vegetarian but I eat fish sometimes
My doctor put me on blood pressure pills
""",
    "fix": """
the problem was a typo in the config file
updating the firmware fixed the wifi drops
turned out the disk was full
I solved it by switching to Python 3.12
Restarting the router fixed it
""",
    "todo": """
I need to call the bank tomorrow
remind me to buy flowers for mom
we have to submit the grant by June 5
don't forget to book the hotel for August
My rent is due on the first
I have to pick up the cake on Saturday
I need to write my speech before the wedding
have to renew my driving licence next month
todo: fix the leaking tap
I still need to reply to Anna
doctor's appointment on Tuesday at 2
""",
    "explicit": """
Please remember that I park on level 3
remember, my daughter's teacher is Ms. Hahn
Keep in mind that we only have one car
note that I will be away from the 5th to the 12th
Don't forget that Peter hates surprises
Can you remember that my blood group is A+?
for future reference, our gate opens at 7
""",
    "question": """
What's the best time to visit Japan?
how do I get red wine out of a carpet
can you explain how mortgages work
Do you remember where I parked?
why does my bread never rise
is it safe to eat raw cookie dough
Should I prefer a fixed or a variable rate?
when does the summer time start
how can I make my cat drink more water
what do you think about my plan
which laptop would you recommend for a student
does my wife need a visa if she has a German passport
I want to learn guitar, where should I start?
are there any vegan restaurants near the station
have you heard of the band Low
""",
    "hypothetical": """
If I had a garden I would grow tomatoes
maybe I'll go to the gym later
I might quit my job, who knows
suppose I lived on Mars
we could try the other approach
I'd love to visit Iceland someday
if it rains tomorrow we'll stay home
imagine you are a pirate
I was thinking about getting a dog, but probably not
""",
    "reported": """
my brother says he hates broccoli
The teacher told us to read chapter four
She said she was born in Madrid
he thinks I should move out
they told me the shop closes at five
My friend is getting divorced, poor guy
the instructions say never mix these two
Apparently Tom is vegan now
According to the news, prices will go up
In the movie the guy lives in a lighthouse
""",
    "narrative": """
we had a lovely dinner yesterday
I saw a fox in the garden this morning
My train was cancelled so I took the bus
I finished the book last night
the kids built a snowman
It took me three hours to clean the kitchen
I lost my keys and found them in the fridge
our neighbours had a loud party
I watched the match with some friends
I burned the rice again
""",
    "sarcasm": """
Oh great, I love waiting in line
yeah because I really enjoy filling out forms
wonderful, another bug, my favourite
I just love it when my phone dies
""",
    "chatter": """
thanks a lot, that helped
hello, how are you
I'm fine, you?
that's funny
ok let me try that
I see
sounds good to me
I don't understand the last part
it doesn't work
I like this version much better
I'm not sure about that
you are amazing
good point
I'm back, where were we
I agree with most of it
I think you're right
yes please
no, that's wrong
I need more details
I'm getting hungry
I'm still here
I have one more thing to ask
that was quick
let's continue tomorrow
I love your explanation
I want the short version
""",
    "command": """
summarize this article in three bullet points
Write a haiku about autumn
Give me a recipe with chickpeas
translate the following to Spanish: I live in a small house
make the second sentence shorter
add more details to the introduction
find the bug in this function
create a workout plan for beginners
Explain quantum computing to a child
write a bio for Mark, who works at a zoo and loves snakes
help me write a complaint about a late delivery
List ten countries that start with M
rewrite this email so it sounds more friendly
don't use the word very in this text
please check my grammar: he go to school every day
""",
    "code": """
ValueError: invalid literal for int()
print("I like turtles")
my function takes two arguments and returns a list
git commit -m "we decided to drop python 2"
const user = { name: "Ann", city: "Oslo" }
""",
    "general": """
Cats sleep most of the day
Paris is the capital of France
The average person needs two liters of water
Most companies use email
Exercise is good for the heart
""",
    "private": """
don't remember this but I'm looking for a new job
off the record, my boss drinks at work
""",
}
COLOURFUL: Final[dict[str, str]] = {
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
