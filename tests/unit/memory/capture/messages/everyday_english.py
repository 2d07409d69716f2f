"""What people type to an assistant in English, a message a line, by what each is worth remembering as or why it is not."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "preference": """
i cant do spicy food at all, kills my stomach
not a fan of group calls tbh
I'd much rather get a short answer and ask follow ups
im more of a tea person
Tabs, never spaces. that's how i roll
we usually watch documentaries on sunday nights
I tend to book aisle seats because of my knees
love anything with mushrooms in it
i really dont enjoy small talk at parties, just so you know
Mornings work best for me for meetings
I'm obsessed with korean cooking shows at the moment
Give me vim over vscode every single time
never got into podcasts, i read instead
My ideal weekend is hiking and then a sauna
ok so two things: i drink decaf only, and I hate it when recipes have a life story on top
I could eat dumplings every day
Long flights freak me out so I go by train when I can
honestly cannot deal with horror movies
my comfort show is Bake Off
I've always preferred handwritten notes
I avoid dairy where I can
Jazz is what I put on when I'm coding
we're big board game people in this house
I'm partial to a good crossword
i like my steak medium rare
Hotels over airbnbs for me, always
i alwyas drink my cofee black
lol ok. I don't eat pork by the way. anyway what about dessert?
Don't forget I hate cucumbers
""",
    "rule": """
stop apologising in every reply
pls keep it short from here on
dont call me sir
Whenever I paste an error, start with the likely cause
I want you to write all commit messages in the imperative
no emojis in your answers thanks
Use euros when you talk about money.
you can skip the disclaimers, I know you're not a lawyer
Every time you suggest a recipe, make it for two people.
By default answer in german unless i write english
never run migrations without asking me first
In this project all dates are ISO 8601, no exceptions.
going forward put the code first and the explanation after
We don't merge on Fridays.
Please address me as Dr. Lindqvist
from today on i'd like a summary at the end of long answers
Quick note: tests go next to the code, not in a separate folder, that's our house rule
please double check the numbers before you send me a table, every time
For the rest of this project use pnpm, not npm
When I say the boat I mean the Hanse 370 in Kiel
Don't sugarcoat things with me.
All my recipes should be gluten free
Let me know before you touch anything in /etc
Answer with just the command when I ask how to do something in bash
""",
    "decision": """
ok final answer: we go with the oak floor
Talked it over with Priya, we're keeping the old car another year
I've settled on the 14 inch one
we ended up choosing Terraform
The board signed off on the new logo yesterday
i'm gonna take the offer from Aalto
We've agreed that Dan does the bookkeeping from July
scrapping the graphql idea, REST it is
going with the vegan caterer
We are not doing sprints any more, kanban from next month
The kids will go to the school on Mill Lane, that's decided
after some thought I'm sticking with my current plan
We moved the standup to 9:30 for good
I chose the thesis topic: soil microbes in peat bogs
so we landed on a 3 year lease
decided against the extension in the end, too expensive
Our team opted for sqlite in the client
we're dropping support for IE and old safari
went for the green one in the end
It's official, we're naming her Matilda
""",
    "fact": """
im a nurse on the night shift at st marys
I work for the city council, in planning
we live just outside Ghent with two kids and a dog
my gf is called Noor
Born and raised in Cork
i cant have shellfish, had a bad reaction once
My boss, Helena, sits in the Zurich office
I'm 41 and I've got type 1 diabetes
our cat Miso is 13
I do freelance translation, mostly legal stuff
Moved here from Chile four years ago
my bday is 12 nov btw
The car's a 2018 Golf diesel
I wear size 44 shoes
My flight is on the 3rd, BA 117, for the trip next month
Hi! I'm Tomasz, I run a bike shop in Gdansk.
I have a peanut allergy so keep that in mind for recipes
I speak Farsi and a bit of Turkish
I'm married to a vet
Currently doing a masters in hydrology
my mum lives with us since her hip operation
both my parents are deaf
my manager is on leave until August so Kai signs things
our production db is on postgres 15, hosted at hetzner
I'm in the Berlin time zone
we have a newborn, Elif, six weeks old today
I'm left handed so scissors tips please
I took over the family vineyard in 2020
my sister's wedding is on June 21 in Bari
I get migraines from red wine
I've been playing the cello for 20 years
I lost my left leg in an accident, so I use a wheelchair
Our anniversary is 8 March
remember my locker combination changes monthly, ask Jo
I use a Kinesis keyboard because of RSI
Name's Abdul. I teach maths at a comp in Leeds.
im alergic to penicilin
remember this for later: the gate key is in the blue folder
pls remember im vegan
note to self and to you, the plumber is called Andrej
Could you keep in mind that Lena can't do Tuesdays?
for next time: I'm allergic to latex
fyi we renamed the repo to otter-core, please remember
save this: my frequent flyer tier is gold
jot down that the spare tyre is flat
You should know that I'm dyslexic.
bear in mind my budget is 800 max
Commit this to memory: release branch is called stable-3
Hey, quick one. I'm moving to Lyon in March so I need a checklist. What should I do first?
Thanks, that's perfect! Btw my wife is vegetarian so next time suggest something without meat.
Can you write a birthday poem? It's for my son Jonas, he turns 8 on Sunday and loves dinosaurs.
""",
    "fix": """
turns out the timeout was the proxy, raising it to 60s solved it
fixed! had to clear the gradle cache
Finally got it working by pinning numpy below 2
the leak went away once we closed the sessions
root cause found: two cron jobs with the same lock file
So the problem was that my firewall blocked port 5353
Rolling back the driver did the trick
it was a trailing slash in the base url, now it works
Deleting the lock file and rerunning made the tests pass
downgrading openssl helped, no more handshake errors
""",
    "todo": """
gotta pick up the dry cleaning before 6
dont let me forget mums prescription
I have to ring the bank tomorrow about the mortgage
add to my list: order more filters for the coffee machine
I should really cancel that trial before the 30th
Need to get the boiler serviced sometime this month
remind me tonight that the bins go out
Next thing on my plate is the quarterly report, due Wednesday
we still need to find a babysitter for Saturday
ping me about the visa form in two weeks
I must not forget to thank aunt Rosie for the scarf
my to do for today: finish the slides, email Ravi
i've got a dentist appointment thursday at 10
The invoice to Brandt has to go out by the 15th
Make sure I submit the expenses this week
i'm supposed to water Ella's plants while she's away
remember to bring the adapter
""",
    "question": """
what do i need to bring to a visa interview
should we go with oak or pine for the floor?
do you always answer in bullet points
how can i stop my dog from barking at night
is my wife allowed to drive my rental car in spain
can i use ibuprofen if i'm allergic to aspirin?
any idea why my tests only fail on fridays
who decided that weeks start on sunday anyway
what's the best way to remember names
where did i say i live?
I wonder if I should move to Canada
does anyone actually prefer light mode
My laptop is overheating, what can I do?
could we have decided differently?
why do i hate mondays so much lol
so when you say never use eval, what do you mean
did I tell you my birthday yet
I need to know if the bank is open tomorrow
need help with a regex that matches emails
wdyt, postgres or mysql
I'm trying to decide between two job offers, how do people usually compare them
what happens if I don't pay by friday
Would you rather fight one horse sized duck?
am i allergic to cats if i only sneeze sometimes
""",
    "hypothetical": """
if we had gone with mysql we'd be done by now
say I live in Texas and earn 50k, how much tax is that
I might move to Berlin next year, not sure
Imagine my name is Zorg and I rule the galaxy
we could go with the blue one I suppose
in a perfect world I'd work from a beach
if my boss calls, I'll tell him I'm sick
let's pretend you're my dentist
I would love to live near the sea one day
Perhaps I should get a dog. Perhaps not.
Were I a millionaire I'd never cook again
Thinking about switching to linux but I haven't made up my mind
Suppose a user says I hate this app, what should support answer
if I was allergic to nuts what would I have to avoid
unless we decide otherwise tomorrow, nothing changes
""",
    "reported": """
my neighbour told me he's allergic to bees
She says she loves sushi but never eats it
the article claims most developers prefer dark mode
according to Jim we're moving to a new office, but that's just a rumour
He told his kids: always tell the truth
My friend's cousin works at Google or something
they decided to cancel the festival, so sad
Some guy on the bus said I live in Paris and I own three boats
from the manual: never immerse the device in water
the customer wrote that he hates the new checkout
In the book, she decides to leave her husband and moves to Rome
the email goes like this: Hi, my name is Sandra and I am interested in your product
Dude at work said always bet on black
my grandma used to say never trust a skinny cook
apparently the mayor wants to ban scooters
The plaintiff stated: I work at the harbour and I saw nothing
""",
    "narrative": """
we went to the zoo yesterday, it was packed
i had pizza for lunch
So I missed the bus and had to walk home in the rain
last night I dreamt I was late for an exam
I was going to call you but my battery died
The meeting ran over again, I left at seven
when i was a kid i used to hate olives
Yesterday my boss was in a weird mood
we almost bought a boat in 2016
saw a really good film on saturday
The printer broke twice this week
I just had the worst coffee of my life
spent the whole day fixing the fence
I tried rebooting it and nothing changed
we were stuck in traffic for two hours
my son has a fever today
I walked the dog already
I've been debugging this for three hours
""",
    "sarcasm": """
oh yeah i love getting paged at 3am
fantastic, another reorg. just what i always wanted
sure, because I have nothing better to do than fill in timesheets
I just adore waiting on hold
great, my favourite error message again
Yeah no, I absolutely live for Jira tickets
wow thanks, exactly what I didn't ask for
My hobby is apparently restarting docker
i always wanted to spend my saturday reading logs, truly
""",
    "chatter": """
haha you got me there
ok brb
that makes sense, thank you so much
i'm so tired today
no worries, take your time
I like that!
you always know what to say
that's a great idea, let's do it
I have a question
I have no idea what that means
ugh it still doesn't work
we're good then
I'm on it
my bad, I meant the other file
I love how fast you are
you never disappoint
almost there, one more step to go
Nice. I'll try that and let you know.
sorry i have to go now
I'm in a bit of a hurry
it's always something isn't it
My brain is mush
I hope you're having a good day
I think we're done here
cant believe its already november
I need a break
I like where this is going
Yes, the second one please.
we have a winner
never mind, found it
my head hurts from all this
i don't get it
I don't think that's right
i've never seen that before
""",
    "command": """
make it shorter and remove the second paragraph
use a dict instead of a list there
Write me a cover letter for a job at a bakery
Translate: we have decided to terminate your contract
change the title to My dog is called Rex
add a field for favourite colour to the form
fix the typo in line 12 please
Generate ten sentences that start with I always
proofread this: I am working at hospital since 2010 and I love my work
Fill in the blank: I live in a ___ house
give me a persona: Anna, 34, lives in Munich, hates cooking
please don't forget the semicolon in that snippet
keep going
stop
try again but this time with more humour
use the second option
""",
    "code": """
TypeError: cannot read property 'name' of undefined
export const DEFAULT_LANG = 'en' // always english
assert user.is_allergic('nuts') is True
# remember to free the buffer
the function returns None when the user has no birthday
SELECT * FROM pets WHERE owner = 'me' AND kind = 'dog'
""",
    "general": """
Beethoven was born in Bonn and moved to Vienna
Most people need to sleep eight hours
Cats hate water, everybody knows that
The prime minister lives at number 10
Our solar system has eight planets
Python uses indentation, java uses braces
Vegetarians don't eat fish
""",
    "private": """
don't save this but i'm thinking of quitting
between us and not for the record, I hate my new boss
""",
}
