"""What people say in English in their own words: what others did, what happened, and chatter; to fit on."""

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
    "chatter": """
hang on, the doorbell
brain fart, ignore that
now we're cooking
that one cracked me up
give me a sec to find it
that went over my head
we're on the same page then
not my day, is it
let me sleep on it
that's music to my ears
bear with me here
I feel a bit silly asking
my head is spinning
my coffee's gone cold
fingers crossed
hmm I'm not sold on the ending
I'm still digesting what you wrote
that's clever, I must say
I'm following
I need to think about this one
ok I've got the gist
I'm a bit lost on the third point
I have to run, talk later
I'll get back to you on that
I was miles away, sorry
I like your sense of humour
that's exactly what I needed
I'm done with the first part
I've got a follow up
I'm a fast reader, go on
that's enough tea for today
I can't decide between the two endings
I'll take the second
I'm struggling with this
it made me laugh
I won't argue with that
I'm at a loss
I'd forgotten about that
I've changed the title, have a look
I'm excited
we can skip that part
I'm just testing
I'm not convinced
I guess that works
I'm sleepy
I'm cold
I'm so thankful for all the support you have given me
that means a lot to me, thank you so much for saying it
I'm really proud of how far we've come
It was such a special moment and I'll never forget it
wow, that sounds incredible, I'm so happy for you
It's been quite a journey but it has been worth it
I feel so lucky to have people like you around
your kindness really touched me
That must have been tough, I'm glad you're feeling better
It really helps to have someone to talk to
seeing their happy faces made it all worthwhile
I'm so excited for you, you're going to be amazing
It made me realise how important it is to slow down
I appreciate your encouragement, it keeps me going
That photo is gorgeous, the colours are so warm
thanks for asking, I'm doing well
It was so powerful and inspiring to hear everybody's stories
you're doing such important work, keep it up
It gave me a new perspective on things
I'm grateful for days like this
I can feel the love in that picture
it reminds me of how strong we can be together
hearing that warms my heart
I'm here for you whenever you need me
that's such a thoughtful gift
you inspire me to be braver
It's great to see you so passionate about it
it's amazing what we can do when we support each other
I'm glad it worked out in the end
thanks, it took me a while but I'm happy with how it came out
Wow, what a lovely family you have
I totally get that, it can be overwhelming at times
that's awesome, when did you start?
It feels so good to finally be able to talk about it
I needed that reminder, thank you
I'm swamped today with the kids and work
it helped me to express my feelings
we all need a break now and then
It fills me with hope
I bet they were thrilled
Keep going, you've got this
Sounds like a wonderful way to relax
I'm so sorry to hear that, sending you a hug
it turned out better than I had hoped
This one is my latest, I finished it yesterday
I thought of you when I saw it
It's moments like these that matter
I couldn't agree more, family is what counts
it has been a rough week but things are looking up
I'm looking forward to it
I'm still processing it all
That was very generous of them
let's catch up soon, it's been too long
the pattern is so pretty, did you make that yourself
love the enthusiasm
life can be hard sometimes, but we keep going
I'm excited about what's next
It was a great reminder that change is possible
we should do that together some day
it's nice to have something to look forward to
I'm feeling hopeful today
It brings people together
good for you for chasing what you care about
make sure you get enough rest
your students are lucky to have you
you'll do great, I know it
take good care of yourself out there
don't be so hard on yourself
you should be proud of what you've built
your new house sounds like a dream
always trust your gut
you always were the brave one
remember to breathe and enjoy it
rest matters, so look after yourself
Dan, it must be hard to be so far from home
Lucy, you've got such a good eye for colour
you two make a great team
your kids will remember that for ever
keep doing what you love
you never know until you try
hope you find the time for it
wishing you all the best for the move
no wonder you're tired
enjoy every minute of it
tell me how it goes
let me know if I can help
give the girls a kiss from me
I'd love to see it when it's done
I can't wait to hear all about it
so what made you choose that
oh I see what you did there
that's a fair point
one moment, the cat's on the keyboard
got it, thanks a million
you're a lifesaver
give me a minute to read it
not sure I understand the last bit
I think we're nearly there
this is harder than I thought
we'll see
I'm impressed
same here
so far so good
hold your horses
I was joking
I'm off to bed
I'm losing the thread
well I never
that makes two of us
sorry, I got distracted
huh, neat
I like that
that's more like it
let's leave it there for today
oh come on
I can live with that
good call
I had the same thought
I'm fine with either
I'd say the first one
it's a bit much
I've got nothing to add
my mistake, I meant the third column
can't complain
could be worse
here goes nothing
I'm in two minds about this paragraph
I'm so tired I can't see straight
you've made my day
that hits the spot
I've seen worse
I'm all set, cheers
I'm at work, will read it later
long day, sorry for the silence
my wifi is acting up again
we have a winner, the second slogan
it's past my bedtime
I'm on my lunch break
I owe you a beer
I keep getting this wrong
I'm as confused as before
I give up
I'm happy with that
I'm bored, entertain me
I'll be right back
I don't get the joke
I love it, don't change a thing
I hate this chapter
I prefer the shorter version you gave
I'd go for the last one
thanks, that settles my stomach a bit
we did it, high five
I'm curious
I'm not in the mood today
that's not what I asked
I feel seen
I'm nearly out of battery
my fingers are frozen
it's my first time doing this
I'm a bit slow today
I'm glad we talked
you and me both
I'll sleep on it
that's the one I meant
I'm sure you're right
I've had enough for today
I never thought of it that way
I always mix those two up
my bad
I was just about to say that
you're on fire today
it's all Greek to me
I'm speechless
I'm ready when you are
that's a weight off my mind
I stand by what I said
I've read it twice and still don't get it
I'm flattered
ok now I'm hungry
your joke was terrible, I laughed
I'm going to make some tea
""",
}
