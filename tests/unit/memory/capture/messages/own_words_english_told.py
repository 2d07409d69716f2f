"""What people say in English in their own words: what others did, and what happened; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "reported": """
Tina's ex moved to Perth apparently
my professor reckons Python will be dead in a decade
the hero of the novel hates the sea and ends up a sailor
they say people from Hull don't wear coats
the podcast host went vegan and won't shut up about it
the plumber reckons all boilers from that year leak
in the film she decides to stay on the island
my neighbour's kid is off to Harvard, they won't stop telling us
the article claims introverts hate phone calls
our tour guide had lived in Cairo for years
a reader wrote in to say he loathes the new layout
the twins next door are called Ada and Alan
my neighbour rides an old Triumph
a woman at the gym lost forty kilos
they told us the office closes on Wednesdays
the plumber's wife is a welder
he was in the choir for years, the new vicar
my colleague is on dialysis
the guest said she can't eat cream
the guy from the shop hates skiing
some people never learn to drive
my flatmate's mum was a miner
the character was raised by monks
the student in the front row has a stutter
the lady downstairs keeps ponies
the boss decided to raise prices I read
our competitor runs on Kubernetes
one reviewer hates musicals
the previous tenant was a night porter
the author lives in a yurt according to the blurb
my manager's cat has diabetes, poor thing
a bloke I know went back to his maiden name, long story
she turned the job down, my friend did
they picked Elm over at the other company
her boyfriend drinks gin
the kids in class call him Moose
the chef on TV says oysters are overrated
an old schoolmate became a bouncer
my colleague's wife has perfect pitch
the barista told me she used to be a dancer
the guy at the next desk hates coriander with a passion
someone on the forum lost his sense of smell
according to the paper the mill is for sale
the man in the story keeps goats
she swears she saw a fox in the lift
the new tenant has three cats
apparently the headmaster is into tango
a listener wrote that she can't stand jazz
the coach reckons we're lazy
the novel's narrator is colour blind
the actor lives in a lighthouse
our postman has eleven children, would you believe
the client insists everything should be blue
one of the parents said phones should be banned
my friend's flatmate plays the tuba
the landlord decided to sell
people say the French never eat breakfast
the report claims remote workers are happier
the vet said cats dislike citrus
my barber's daughter is a pilot
the duke was fond of hunting
Beethoven went deaf
they've hired a new manager over at the library
a chap in the pub told me he was in the SAS
rumour says the shop is closing
the speaker yesterday prefers Rust to Go
the neighbours bought a hot tub
her cousin got married in Vegas
the teacher told them to always show their work
Mrs Dalloway said she would buy the flowers herself
Jo next door is expecting
the mayor wants to ban cars
he told the reporter that he sleeps four hours
some guy online keeps a tiger
my colleague decided against the promotion
the heroine is allergic to roses
the couple upstairs are splitting up
somebody's uncle won the lottery
I read about a man who eats only potatoes
the other team opted for Mongo
in the song he's leaving on a train
the survey found most people prefer tea
this influencer swears by ice baths
the lady at the counter said no
the old owners left a piano
the sign says no dogs
""",
    "narrative": """
so there I was, soaked, with no keys
got stuck in the lift for twenty minutes
yesterday was a blur, three meetings and a birthday party
slept like a log
burnt the rice, ordered pizza
the kids built a fort out of the sofa
lost my temper at the printer this morning
my mother in law brought her famous trifle on Sunday
the power went out twice last night
missed the bus by a second
The interview went on forever and they never asked about Java
snow up to the knees this morning
I dozed off in the meeting
we laughed till we cried at dinner
the baby was up at four again
went through my inbox, 300 mails, done
ordered a kitchen chair and got a table
the pony bit me on Saturday
we danced till two
I called the school and nobody picked up
had soup, went to bed
my bike chain snapped on the hill
the cat knocked the piano lamp over
we were at the fire station open day
stood at the bus stop for ages
I painted the fence this afternoon
he showed up with flowers yesterday
I finally saw that film last week
the choir was out of tune tonight
had my hair done this morning
we took the tram to the end of the line
I dropped the butter, butter side down
the surgery was closed when I got there
we ran into Pat in town
the boiler made a funny noise all night
I lost my place in the queue
Last Saturday I took the kids to the aquarium and they couldn't stop talking about the jellyfish
I went to a pottery workshop yesterday and made the ugliest bowl in history
a few weeks ago we drove out to the coast and it was so peaceful
I had the best time at the concert on Friday, the crowd was electric
We spent the whole Sunday baking with my mum and the kitchen looked like a war zone
I finally met up with Carla last week and we talked until midnight
Two days ago I watched a documentary about whales that moved me to tears
I signed up for a free yoga class last night and could hardly get up this morning
we celebrated dad's birthday with a picnic last weekend and the weather was perfect
I went for a run this morning to clear my head and bumped into an old colleague
My daughter and I painted the fence last week and ended up covered in blue
On Thursday I gave a short talk at the community centre and people clapped, which was nice
I saw the most amazing sunset on my way home
we had a blast at the fair, so many lights and so much candyfloss
I was so nervous before the interview but it went really well
the kids made me breakfast in bed on Mother's Day, burnt toast and all
I helped out at the soup kitchen on Tuesday and it really opened my eyes
Last month I visited the old harbour with a friend and took loads of pictures
I tried out that recipe you sent and it came out great
I stopped by the bookshop yesterday and picked up something for the trip
we got caught in a storm on the hike and had to shelter in a barn
I ran a charity race last weekend and my legs are still sore
I took a day off yesterday and did absolutely nothing
I had a setback at work last week but I'm trying to stay positive
I just got back from the vet and everything was fine
we had friends over for dinner last night and played charades
I found an old photo of us yesterday and it made me smile
I was at a conference last week and learned a lot
The parade was so colourful and full of joy
It rained on our camping trip but we made the best of it
I made a cake for the school fair and it sold out within minutes
I dropped the kids off and sat in the car for ten minutes just breathing
I bumped into your brother at the market on Saturday
we went up the tower and the view took my breath away
I watched my son's match on Sunday and he nearly scored
I read through the whole thing last night and found two mistakes
I joined a friend for a gallery opening last Friday and the art was stunning
I got my results back yesterday and everything looks good
Yesterday my neighbour showed me her garden and it was full of roses
I went swimming with the girls this weekend and we laughed so much
oysters for lunch, what a day
I got soaked on the way to the library
the ferry was late and the coffee was cold
we got lost in the old town for hours
I sneezed through the whole concert
my bike got a flat near the mill
the meeting ran over again today
I sat next to a choir on the bus this morning
dropped my phone off the pier
we ate on the balcony last night
the cat brought in a mouse
tripped over the hose and landed in the pond
there was a fire drill right in the middle of my talk
the kids slept till nine, miracle
we missed the turn and saw half of Belgium
my neighbour mowed the lawn at seven this morning
I waited in for the plumber all day
the guests left at three
I read half the book in one go yesterday
cooked for nine, nobody ate
spent the morning on hold with the bank
locked myself out in my pyjamas
the dog rolled in something awful
on Saturday we went to see the lighthouse
the bus driver waited for me, bless him
my talk went better than I feared
cried at a commercial last night
the soup was salty and the waiter rude
I found a tenner in an old coat
the train stood still for an hour outside Reading
watched the storm from the window
we played cards till late
she fell asleep on my shoulder
a pigeon flew into the kitchen
yesterday's run nearly killed me
just got off the phone with my aunt
we burned the toast and set off the alarm
I tried the new bakery, it was fine
took the stairs for once
the kids had a snowball fight
I've just eaten an entire cake
this morning the car wouldn't start
someone sat in my seat at the theatre
he kept talking through the whole film
we walked eleven miles in the rain on Sunday
the heating broke on the coldest night
I've been up since four with the baby
we had words, then cake
the interview took ten minutes
my alarm didn't go off
""",
    "sarcasm": """
I positively adore waiting on hold
wow, a fourth reorg, my cup runneth over
brilliant, the wifi dies exactly when I need it
can't wait to spend my weekend with XML
who doesn't enjoy a root canal on a Monday
truly my favourite hobby, arguing with printers
what a treat, a two hour meeting about fonts
thanks a bunch, universe
I just live to update spreadsheets at 11 pm
great, another icebreaker, I simply adore those
oh I just love being on hold
how lovely, the neighbours bought drums
my favourite sort of Sunday: tax forms
nothing like a broken lift to start the day
sure, I've always dreamed of moving servers at midnight
wonderful, it's raining in again
I'm thrilled to announce my printer is on strike
because everyone loves a surprise deadline
well that's just perfect
oh goody, more forms
I can hardly contain my joy about the audit
yes because I clearly have time for that
what a delight, a cold shower
lucky me, the night shift and a hangover
who needs sleep anyway
bravo, crashed again
I do so enjoy being ignored
such fun, three hours in A&E
and the award for best timing goes to my boss
peachy, just peachy
fantastic, my flight got moved to 4 am, my dream
""",
}
