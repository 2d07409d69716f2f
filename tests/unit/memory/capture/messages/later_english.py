"""What people type to an assistant in English that is worth remembering, a message a line, by what it is worth as."""

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
}
