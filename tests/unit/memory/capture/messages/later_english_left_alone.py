"""What people type to an assistant in English that is not worth remembering, a message a line, by why it is not."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
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
