"""What people say in English in their own words: what passes; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "other": """
I've a bug that only shows up on Safari
that restaurant was overpriced if you ask me
my parcel has been sitting in customs for a week
the teacher wants 500 words on volcanoes
I'd like the chorus to be more upbeat
my essay's due in an hour, quick
I need a birthday wish for a guy who collects trains
this chapter drags
I've three drafts and none is any good
I'm cooking for eight tonight and panicking
it says my password is too short
I'm trying to center a div, don't laugh
my tooth is killing me
I'd give it a seven out of ten
this font makes me smile
we're waiting for the bus
a user of ours says she can't log in
I've got twenty minutes to kill
for this exercise x is always positive
in this scene we're in a bakery at dawn
my dough is too sticky
he works nights, she works days, they never meet
the shop was shut, typical
I think I'd go with option two
I'd rather you kept the first line as it was
I'm writing a speech for my sister's wedding, help
the balcony door is stuck
my cat is asleep on my keyboard
my leg has gone to sleep
I'm looking for a word that means tired of the world
my character hates musicals and loves gin
I've got a list of forty names to sort
the docker build hangs at step 4
our tests fail since this morning
the cluster is down
I can't log in
I get a blank page when I open it
my son asks why the moon follows us
the cake fell apart
I'm on hold with the bank
I'm making soup, how much salt
this chair is wobbly
she hates me
they're late
I have a headache
the road is closed
I'm translating a poem about ponies
my team lost
my screen is frozen
I need a title for a song about trams
my homework is on the Danes
I've got a bug in my loop
I feel like pizza tonight
I'm in the mood for something funny
I have a meeting in five minutes
it's hot in this room
the second slide needs a picture
we have guests tonight, what do I cook
I'm packing, what do I need for Tartu
I've an idea for a game
my mate sent me this link
I miss the summer
I've never seen anything like it
I always forget how this works
I never know which button it is
my favourite of your suggestions is the second
I love how you put that
I hate that the menu moved
we always end up here
I usually get an email but not today
my phone rang
here is a picture of it
here's one from last week
this is the view from the cabin
the one on the left is the one I made
There were so many people and everybody was so friendly
the food was great and the music even better
they were so kind to us the whole time
the team did a fantastic job
She was so happy when she opened it
He was a bit shy at first but then he wouldn't leave
it took me about three hours to put it together
my friend made it for me
a friend of mine recommended it to me
the kids loved the dinosaurs most of all
it has lovely colours and a soft feel
There's a new exhibition in town that everyone is talking about
the crowd went wild when the band came on
I'm putting the finishing touches to it now
I'm looking into a few options at the moment
we're putting the tent up as we speak
the course starts soon and I'm a bit nervous
that painting has a story behind it
the garden is looking lovely this time of year
the lessons were so helpful
these little things make the day better
my mum was so proud she cried
everyone pitched in and we got it done
Trust is what makes a team work
Nature has a way of putting things in perspective
Kids grow up so fast
art can say what words can't
we need to handle an empty list here
we need a lock around this
I'm on the release branch
I'm two commits behind
the branch won't rebase
the constraint fails on insert
the handler should return 404 when nothing matches
the modal stays open after submit
we have a race between the two jobs
the job ran twice last night
the loop runs once too often
I added a retry and it still times out
we deploy at noon today
the rollback went fine
the tests pass on my machine but not on the runner
it only happens with two workers
the cursor is never closed in this function
our build is green again
our endpoint answers in two seconds, too slow
the migration is halfway through
the column is nullable and shouldn't be
I renamed the variable and now nothing compiles
I've merged your change
I'm refactoring the parser into two modules
I'm looking at the stack trace
I'm getting null back from the service
I need the query to run in under a second
I need to mock the clock in this test
the profit fell by 8 percent to 3 million
the quarter was better than expected
sales in Asia grew and Europe was flat
the budget for this month is gone
the invoice has the wrong address
the contract is on your desk
the slides need one more chart
the customer wants a refund
the board meets today
our rival has a new phone out
the report is attached, have a look at page three
the minutes of the meeting are below
I'm writing a grant proposal about wetlands
I'm proofreading a thesis on glaciers
I'm setting a quiz for my class on fractions
I've a table with three columns and I need the sum
I've two dates and want the days between
we've got a memory leak in the worker
we see a spike every hour
we get a timeout from the proxy now and then
the log says connection reset
the token expired and the client doesn't refresh it
the page is blank on mobile
the font looks off on Windows
the csv has a header I don't need
this class does too many things
this chart needs a legend
my function returns an empty string
my loop never stops
my code looks fine but prints nothing
my colleague pushed to the wrong branch this morning
my query joins three tables and is slow
my essay needs a conclusion
my slides are a mess
my manager wants the numbers by noon
no me abre el programa
no entiendo esta parte del texto
gracias por la ayuda de ayer
quiero una receta fácil para hoy
je cherche un cadeau pour ma mère
le fichier ne s'ouvre pas
merci, c'est parfait
kannst du das noch mal erklären
ich verstehe die Aufgabe nicht
der Drucker geht schon wieder nicht
danke dir, das war gut
puoi scrivere una lettera per me
non funziona niente oggi
obrigado pela resposta
the sauce split, what a mess
my neck is stiff today
I'm on chapter six and the plot is a mess
the villain in my story breeds collies
my character has one good hand and a parrot
this salad needs something
the css is all over the place
the client wants a fish on the logo
my presentation is in ten minutes
I'm writing a eulogy for a mechanic
the parser chokes on line 40
the poem is for a woman who keeps bees
the dough won't rise
my query takes forever
I've got an error I can't make sense of
there's a typo in your answer
the wind took our tent
my ears are ringing
the battery died in the middle of it
the soup smells funny
he's late again
they're playing our song
the plot of the film makes no sense
the second half dragged
the waiter forgot our drinks
it's snowing
I can't find my keys
the baby won't stop crying
I've lost count
I'm lost in the menus, where's the export
we're out of milk
my internet is crawling
I'm in a taxi
I'm on the second step and it fails
the button does nothing
the app keeps logging me out
the tests are red again
the numbers don't add up
I'm making a flyer for a concert
I'm preparing a lesson on volcanoes
I'm drafting a cover letter for a bakery
I'm designing a card game about lighthouse keepers
I'm helping my nephew with fractions
I have a spreadsheet with 400 rows
I have a photo I want to describe
I've a riddle for you
she's the villain and he's the hero
the moon is huge tonight
my hands smell of garlic
the queue is out the door
the lift is stuck
my sandwich is soggy
the meeting's been moved to three, fine by me
there's a wasp in here
my throat is sore
somebody parked across our drive
I could murder a curry right now
I could do with a holiday
I'm dying for a coffee
I'm over the moon about the result
the match starts in ten minutes
your answer about dill was wrong
your list is missing Malta
the third link is dead
the first draft was better
the tone is off in the middle
that joke fell flat
that's not my favourite of the three
it needs a stronger verb
this version is too long for the flyer
it should be in present tense here
in my novel the family lives above a restaurant
in the game I'm a thief with a heart of gold
in this puzzle I have three boats
our example user lives in Oslo and hates rain
the exercise says I'm a shopkeeper
let x be my age
a farmer has a goat, a wolf and a cabbage
two trains leave at the same time
the narrator is unreliable
the bride wants peonies
my opponent opened with the queen's pawn
I rolled a six
I'm stuck between C and D on question nine
the answer key says B
I pressed the wrong button
I clicked it twice
I typed it just as you said
I pasted it and it broke
I see three warnings now
it compiles but prints nothing
I've tried all of that already
I rebooted, no luck
the error is gone but the page is blank
nothing happens when I hit enter
the update made it worse
my cursor vanished
my mum is calling, brb
my son wants to know why the sky is blue
my girlfriend laughed at your poem
my boss liked the draft
my students loved the quiz
my sister thinks it's too long
my dad wants a copy
our guests are here
our train is delayed
our food is getting cold
the kids are screaming in the back
we're in the car
we're having a picnic
we're lost
we were robbed in the last minute
we ate too much
he never listens
she got the job, I hear
they lost again
it was only a dream
that takes me back
summer's over
Mondays, eh
I swear this computer hates me
this keyboard drives me up the wall today
this traffic is killing me
this film is not my cup of tea so far
this song is stuck in my head
these shoes are killing me
this pen is running out
I've been meaning to ask you something
I've been reading about the Quakers
I've been stuck here for an hour
I'm going through my photos
I'm cleaning the kitchen
I'm watching the match
I'm about to board
I'm trying to remember a word
I'm looking at a flat in the old town, is the price fair
I'm comparing two phones
I'm thinking out loud here
I just learned what a monad is
I just woke up
I just realised it's Tuesday
""",
}
