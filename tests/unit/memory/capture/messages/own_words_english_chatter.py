"""What people say in English in their own words: chatter; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
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
