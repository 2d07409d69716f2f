"""What people type to an assistant in English in everyday words: a message a line, by its label."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
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
