"""What people type to an assistant in English, a message a line, by what each is worth remembering as or why it is not."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "preference": """
Cilantro is the devil, leave it out of whatever you suggest
I'm not much of a morning person so don't schedule anything before ten
oat milk > regular milk, hands down
thrillers bore me, romance even more, sci-fi all the way
we've been really into escape rooms lately
When I travel I'd always take a hostel over a fancy hotel
I like to have the tests before the implementation
The fewer notifications the better as far as I'm concerned
my wife and I love camping but only in autumn
Just so we're clear, I find voice messages super annoying
i only listen to vinyl
For breakfast I normally have porridge with berries
honestly i dont care for seafood
Phone calls stress me out, chat is fine
I learn best when there are diagrams
Nothing beats a long bath after a run
we hardly ever eat out
I'm a sucker for 80s synthpop
gimme tea, coffee makes me jittery
I've grown to like brussels sprouts
I'd pick mountains over the beach every summer
I'm allergic to meetings before coffee haha, afternoons please
Sushi is my weakness
we're not fans of musicals
my partner and I mostly cook indian at home
I gravitate toward minimal designs
pineapple belongs on pizza and I will die on this hill
I loathe cold calls
long car rides make me queasy
i go running every morning before work
I've always had a soft spot for old maps
Don't really drink these days
I sleep better with a fan on
window open at night, always
I'm happiest when I'm in the garden
the cheaper the wine the better honestly
I refuse to fly Ryanair
I want my eggs runny
audiobooks > paper
""",
    "rule": """
can you stop putting a question at the end of every message
write in lowercase when you draft my tweets
If I send you a photo of a receipt just extract the total
Please only recommend places that are wheelchair accessible
I don't want to see any stack traces unless I explicitly ask
Sign my emails with Best, Fran
treat me like a beginner when it comes to finance
Prices in CHF please, I live in Basel
no more than three options whenever I ask for ideas
commit messages should follow conventional commits
Don't bring up my ex again
For code reviews be brutally honest
We keep all feature flags in flags.toml, never in the code
your answers are too long, two paragraphs max
Anything you send to my mother must be in Polish
be more concise going forward
Remember to always run black before committing
keep code samples in Kotlin unless told otherwise
please round all amounts to whole dollars
I expect sources for every claim you make
Never assume my gender
talk to me like a friend, not a manual
use my nickname, Bo
when quoting laws use the Swiss ones
no need to say hello every time
every recipe you give me has to be nut free
skip the intro, get to the point
run the linter before you hand me any code
my reports are always in A4, landscape
if something is unclear ask, don't guess
in emails to clients we use the formal you
For maths problems show each step
""",
    "decision": """
Alright, Heroku is out, Fly.io is in
I've picked the name: Larkspur Studio
we said yes to the house on Birch Avenue!!
My husband and I decided we won't have a third kid
they accepted our proposal so we start building in May
So the plan is that I quit in June and go full time on the bakery
we're sticking to weekly calls
I ended up buying the Canon
Yep, Thursday dinner is off, we do Saturday instead
The committee voted to fund the playground
I turned the job down
We'll host on Hetzner, not AWS
ok I'm doing it, I'm signing up for the marathon
it was agreed that Kim leads the audit
Paul and I have chosen the 12th for the housewarming
We're getting married in Siena, booked it yesterday
Ok, Monday and Thursday will be the gym days then
Our book club chose Middlemarch for December
I'm done with Facebook, deleted my account
We are replacing Jenkins with GitHub Actions
Mum agreed to sell the house
I'll be taking a year off from September
they hired Lukas and he starts in March
it'll be a boy and we're calling him Anton
The winner is option C
We gave up on the heat pump idea
""",
    "fact": """
I'm the only developer at a small charity
hubby is a firefighter so his shifts are all over the place
my surname is spelled Mac Aodha, two words
we have one bathroom for five people lol
grew up on a farm in Saskatchewan
I teach yoga twice a week, the rest of the time I'm at the library
Both twins have asthma
My old dog Rufus passed away in spring
I've been sober for three years
My mother tongue is Tamil
just turned 50!
I can't drive, never learned
our office moved to Rotterdam
The startup I work for does drone mapping
I've had this Volvo since 2009
my daughter is starting university in Leuven this autumn
i live with 3 flatmates near the canal
My dad had a stroke last year so I'm his carer now
I'm taking metformin twice a day
My ex and I share custody, kids are with me every other week
I was a nurse before I became a potter
the wifi here is called Nebula
my team is spread across four time zones
I do crossfit and a little bit of boxing
I have celiac disease
my graduation is on the 14th of June
I go by Sam, my full name is Samantha
Im 5'2 so most bikes are too big
we keep bees
My landlord Mr Osei lives downstairs
I don't have a car
im in my second trimester
For context: I run a 12 person agency and we mostly do packaging design
hi, new here! chef by trade, currently between jobs
I'm Deaf so please no audio suggestions
please remember my sizes: M for shirts, 32 for trousers
Bear with me, I have ADHD
My husband's a long haul trucker
I've two step kids, 9 and 12
we bought an old schoolhouse in Brittany
I'm studying to be a midwife
I'm from a family of seven
I've got a bad back
i drive an electric van
My therapist is Dr Halloran
the dog's name is Waffles
we're vegetarians except at Christmas
I do not have siblings
My visa runs out in October
I coach under-12s football on Wednesdays
we homeschool our kids
my grandmother came from Odessa
I'm the treasurer of our allotment association
I work nights
my laptop is an old ThinkPad X220
I'm colourblind (red green)
I was adopted
My first novel came out in May
Our company has 40 employees and no HR
I wear contacts
currently on parental leave with our second
My mother in law speaks only Portuguese
i'm a widow
The office is closed between Christmas and New Year
I have a season ticket for St Pauli
our server room is in the basement
lived in Nairobi until I was ten
""",
    "fix": """
Solved it: the env var had a trailing space
After reseating the RAM it boots fine
disabling the adblocker was all it took
it was DNS. it's always DNS. flushing the cache fixed everything
Switched from wifi to ethernet and the lag is gone
For anyone wondering, the segfault came from a dangling pointer in the parser
increasing the heap to 4G resolved the crashes
ok so the culprit was a missing index on orders.user_id
Got rid of the noise by grounding the amp
tests are green again after bumping pytest
The trick was running it as a service
found out why: the cron user had no PATH
unplugging the dock for a minute brought the screen back
""",
    "todo": """
shoot, I need to renew my library card
have to be at the notary at 3 on Tuesday
Don't let me leave without my charger
I should call grandma this weekend
the car has to be at the garage by 8 tomorrow
Meeting with Ingrid moved to Friday 11am
I promised the kids a treehouse before summer
put toothpaste on the shopping list
got to return those shoes by the 9th
My essay is due Monday at midnight
Next week I fly to Tunis for a conference
can you remind me in an hour to take the bread out
we need someone to feed the cats over Easter
I keep forgetting to descale the coffee machine, nag me about it
Dentist on the 22nd, 9:15
still have to finish the budget spreadsheet
gonna need to repaint the fence in spring
the plumber comes Wednesday between 8 and 12
I owe Marta an answer by Friday
pick up Leo from judo at five
I've yet to send the thank you cards
taxes are due in two weeks
let me know on Sunday that I should water the ferns
our rehearsal is on Thursday evening
must buy stamps
remember the milk
Got an exam on the 3rd of July
I said I'd bake a cake for the school fair
""",
    "question": """
is it normal for puppies to sleep 18 hours
how much should I tip in Japan
do I have to declare gifts from my parents
whats a good substitute for eggs
I live in an apartment, can I still have a compost bin?
what do vegans eat for breakfast
Could my headaches come from my new glasses?
remind me, what does idempotent mean?
which of these would you pick
how long do I have to keep tax records
Is there a way to always open links in a new tab
I hate to ask but could you redo that
do you prefer working with short prompts
who do I talk to about a broken lease
can we decide this later?
when I was born, was the moon full
Do people in Norway really eat brown cheese
my cat is sneezing, should I worry
what if I never learn to swim
""",
    "hypothetical": """
I'd move to Lisbon in a heartbeat if I could work remotely
suppose we'd decided on mongo, how would the schema look
maybe i should become a vegetarian
what would happen if my boss read this lol
I could see us switching to a monorepo eventually
if I ever have a daughter I'll call her Wren
let's assume I earn 4000 a month
Not sure yet, we might go with the cheaper one
Thinking I may need to buy a new laptop soon
picture this: you live in a castle and hate visitors
it would be nice if I could play the piano
""",
    "reported": """
my colleague swears by cold showers
The landlord claims we agreed on 900
Kevin thinks we should always squash commits
my roommate's brother is allergic to cats
the doc on TV said everyone needs eight glasses of water
grandpa always told us never to lend money
the review says I hated every minute of this book
they're moving the office to Leeds I heard
some influencer lives in a van and loves it
our teacher wants everyone to write in cursive
In his will he decided that the house goes to charity
a friend asked me whether she should quit
Sarah from HR prefers tea I think
the sign on the door read no dogs allowed
""",
    "narrative": """
went to bed at two, up at six, great
The kids were loud all afternoon
I had to wait an hour at the pharmacy
we took the wrong exit and ended up in Belgium
my phone died halfway through the hike
I ran into an old friend at the market
spilled coffee all over my notes this morning
they served us cold soup, unbelievable
It rained the entire trip
I was about to give up when it suddenly compiled
had a long chat with my neighbour about fences
my sister called me twice today
We lost 3 to 1 on Sunday
took the dog to the park
i cooked for six people last night and nobody helped
""",
    "sarcasm": """
oh i simply love it when the build fails on a friday
yeah right, I live for spreadsheets
Great. My favorite: another password reset.
What a joy, I get to redo my taxes
I'm clearly the luckiest person alive
sure, let's always deploy at midnight, what could go wrong
lovely, the train decided to take a day off
""",
    "chatter": """
ok i'm back
you rock
hmm let me see
I like the second one better
fair enough
I feel much better now
that's what I thought
I have two more questions
ha, never thought of that
I'm making dinner, one sec
we should talk more often
I need a minute
I'm a bit confused by step 3
it's late here, good night
I love this song
my turn!
i guess so
you're right, I misread it
I want to try something else
Let me check with my wife first
I'm not sure I follow
I have to admit that's clever
we did it!!
I'll think it over
whatever you prefer
I always get this one wrong haha
we're nearly done
This is my third attempt
I must say I'm impressed
I'm at the airport
""",
    "command": """
make the tone friendlier
give me five names for a turtle
use bullet points for this one
replace the word always with usually
Summarize our conversation so far
shorten that to 100 words
draft a message to my landlord about the leak
don't change the last paragraph
write a story about a girl who lives in a lighthouse and hates fish
act as an interviewer, I am a candidate for a nursing job
Rewrite in first person: she works at a bank and loves rowing
compare Postgres with MySQL
make a packing list for a weekend in the mountains
please look at this function and tell me what it does
Add a column called birthday to the users table
keep the intro but drop the rest
book ideas for a ten year old, go
""",
    "code": """
warning: variable 'x' is never used
npm ERR! peer dep missing: react@17
return user.name or "my name is unknown"
logger.info("we decided to retry")
Traceback (most recent call last): KeyError: 'home'
if prefs.get("likes_dark"): theme = "dark"
""",
    "general": """
In Sweden people take off their shoes indoors
Dogs need to go out at least twice a day
The Romans settled on seven hills
Lavender likes full sun and dry soil
Every function should do one thing
Water boils at 100 degrees
Bees never sleep, or so they say
""",
    "private": """
please don't keep this, my marriage is falling apart
I'd rather you didn't store any of this: I was fired today
""",
    "other": """
is cheddar vegetarian
I keep getting a 403, what am I missing
my cat just knocked over the plant lol
he decided to stay another week
you're always so patient
the bus was late again
I think it's the second link
We should all drink more water I guess
could you recommend a hotel where dogs are allowed
I'm wondering about the visa rules
That's my favorite answer so far
I've read that coffee is good for you
I was thinking of learning Danish maybe
can you make that in blue
She works at Ikea I believe
my friend decided to quit and asked for my advice
good grief, I hate when that happens
I need five synonyms for tired
what a day
I have it open in another tab
I run the script and get an error
I'm getting a timeout when I call the API
we tried everything, nothing helps
I changed the port but it still fails
I want to understand monads
I want to write a poem about rain
I need a function that sorts by date
I have a CSV with two columns
I've attached the file
I'm writing an essay about bees, give me an outline
my code looks like this
my teacher gave us homework about volcanoes
Should I tell my wife?
let me rephrase
I'm looking for a gift for my dad
tell me about the history of Prague
my question is about taxes
the error says permission denied
I use this function to parse dates
I like how you think
I would never do that
Alexander the Great was born in Pella
do not worry about it
don't give me the solution yet
I'd like an example please
I'd like to know how vaccines work
I have two lists and want to merge them
We have a table with users and orders
I got an email from my bank, is it a scam
this reminds me of school
I always thought tomatoes were vegetables
My computer is so slow today
I love you
I'm 100% sure
I'm good thanks
I'm here
I'm in the middle of something
we had a great holiday
the company decided to raise prices
I click on submit and nothing happens
my script crashes on startup
our build takes forever today
my answer is different from yours
I tend to agree with you there
I prefer your second draft
I like option B
i love that idea, let's do it
my next question is about loops
my essay is about climate change
I'm writing a thank you note to my aunt
I'm reading a book about whales
I'm debugging a memory leak
I'm almost done with chapter two
I'm on page 40
I'm using the free plan and I can't export
I'm the one who asked earlier
I'm a little lost
I'm trying to fix my bike
we're having pizza tonight
we talked for hours
we laughed so hard
My boss just walked in
my mom says hi
my daughter asked me why the sky is blue
my wife thinks I'm crazy
my dog ate my homework haha
the team won yesterday
the plan looks solid
I run into this error every time
every time I start the app it crashes
I always get a blank page
I never got an answer
I usually see two warnings when I compile
the function should return a list
each row should have an id
all tests must pass before this works
use a for loop for this
please keep the second version
please use my first draft
show me all the options
give me every detail
explain it like I'm five
write it in simple words
answer yes or no
don't use any libraries for this exercise
the answer must be a number
Tell me a story that never ends
I decided to google it
we decided to wait and see
I think we agreed on this already
we went with friends
I picked the wrong one lol
the issue is still open
the problem was in chapter three, exercise 4
that fixed it
it works now, thanks
still broken after the update
I restarted it and still nothing
I need to understand recursion
I need to convert this to PDF
I have to go
I should sleep
we need to talk about your grammar
I have a long list of words to sort
I've got a weird error here
I've been working on this all day
I have 3 apples and eat one, how many are left
John has two dogs and a cat
The narrator lives in London and hates fog
My name in the game is DarkLord
in the exercise, I work for a bank
The speaker prefers tea
He is allergic to nuts, the main character
Let's keep going
good to know, I had no idea
interesting, I never thought about it like that
I get it now
I appreciate it
It makes sense to me
sounds like my kind of thing
the weather makes me sleepy
this makes me happy
that drives me crazy
I could eat a horse right now
nobody told me
I dropped my phone in the sink
I forgot my umbrella again
just got home
finally friday
On Monday the shop was closed
""",
}
