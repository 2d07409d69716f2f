"""What people say in English in their own words: what they settled, found out, or have to do; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "decision": """
the die is cast, we're leaving the agency
Rust won in the end
my mind's made up, no more freelance work on weekends
heads turned, coins flipped, we're off to Porto in spring
Monday is when we'll hold the retro from here on, everybody nodded
the second architect got the job
that settles it, the piano stays
we shook hands on 240k for the flat
threw out the old schema, the event log stays
threw in the towel on keto
it came down to two candidates and Yusuf is the one we hired
turning down the Munich job, my gut said no
the family council has spoken: Christmas at grandma's
said yes to the adoption
bye bye Heroku, hello Fly
said goodbye to my gym membership for good
the book's title is now fixed: Salt Roads
the two of us agreed, no phones at the table
cancelled Netflix, and it stays cancelled
we took the plunge and ordered the kitchen
Sam and I are getting hitched in June
I've withdrawn my application
the whole team switched to trunk based development
no dog, we talked it over and it's a no
we're raising the prices by five percent from May
settled on Lisbon for the offsite
the garage becomes a studio, the plans are in
we signed with the smaller label
from this term on I teach part time
bought the piano after all
we're keeping it in the family, my niece takes over
the contract went to the Danes
I'm leaving the band
I've resolved to run the marathon in the autumn
goodbye Windows, I'm on Fedora now for good
we picked the date, the 9th of May
no more contractors, the board ruled
we chose the school with the garden
the app will be free, ads pay for it, that was the outcome
I'm not renewing the lease
the surgery goes ahead, I consented
we've narrowed it down and it's the Skoda
Elm beat React in our little bake off, so Elm it is
I've gone back to my maiden name
I've decided to apply to adoption agencies this year
we've chosen the lake over the mountains for our trip in July
I quit my job to write full time
right, it's settled, we take the ferry
Postgres got the nod
after much hand wringing I'm keeping the dog
the jury's back: no second car
long story short, the move is off
we drew straws and Lena hosts the next one
tore up the old plan, phase two comes first now
we're calling it quits with the podcast
the deed is done, I resigned
I've thrown my lot in with the cooperative
the kitchen will be green, the paint's already bought
the offer from Basel is accepted
Tailwind is out, plain CSS is in
we've put the launch back to September
the council of elders voted, vegetarian Christmas it is
I caved and bought the bigger fridge
that ship has sailed, we're not going to Japan this year
made peace with it, I'm repeating the year
the last word: Anton gets the room upstairs
sleeping on it helped, I'm taking the part time contract
finally pulled the trigger on the solar panels
weighed it all up and medicine wins over law
my wife and I have landed on the name Frida
we've parted ways with the old accountant
out of the five, the Brompton came home with me
I'm done with Twitter, account deleted
Friday releases are history as of this month
the contract with Meier won't be renewed
I've picked my battle: the appeal goes in
from May it's four day weeks for all of us, agreed today
the dust has settled and we're staying put
no more microservices, back to the monolith
we bit the bullet and hired a nanny
all in on TypeScript now
it's a go for the merger
the dog school idea is dead
heads or tails decided: Lisbon
we shelved the app until next year
my thesis will be about moss, the supervisor agreed
the choir accepted me and I'm going
voted eight to two to move the server to Finland
I'm switching to oat milk for good
we told the agent yes
the roof gets done before the bathroom, that's the order we settled on
Christmas markets over skiing this time, all booked
Redis is gone from the stack as of last sprint
the wedding date is set, 4 October
gave up the allotment
our startup folds in June, shareholders agreed
I've enrolled at the Open University
two options, one winner: the diesel stays
we're going gluten free as a family
the logo stays as it is, end of story
Chose the aisle with the cheaper tiles, ordered them too
opted out of the pension scheme
made up my mind about the tattoo, it's a heron
we've agreed to disagree and sell the house
my brother and I split the inheritance down the middle, signed yesterday
putting the novel in a drawer and starting a new one
""",
    "fix": """
the culprit was a stray semicolon in the nginx conf
all it took was bumping the heap to 4 gigs
mystery solved, the clock on the build server was an hour behind
what finally did it was a clean reinstall of the driver
our flaky test was racing the scheduler, a fixed seed tamed it
Once I set LC_ALL the sorting went back to normal
nothing wrong with the code, the proxy swallowed the header
the gremlin turned out to be a loose RAM stick
cured it: the fan was clogged with dust
in the end a simple chmod did it
so it was DNS, it's always DNS
the deploys stopped failing once we pinned the runner image
it came down to a typo in the env file
tightening the hose clamp stopped the leak
the memory climb was an unclosed cursor, closing it flattened the curve
turning off hardware acceleration got rid of the black screen
got to the bottom of it, two services shared one port
a swapped plus and minus wire, that's why it never charged
the fix was embarrassingly small: a missing await
removing the trailing comma brought the parser back to life
adding a swap file stopped the crashes
we'd been testing against the wrong branch, that was all
less yeast and a longer rise, and the bread no longer collapses
rebuilding the index made the search fast again
the printer came back once I gave it a static address
the flicker went away after I moved the router
it was the antivirus all along, an exception settled it
the build broke because of a case sensitive path, renaming helped
what cured the rattle was a washer under the bolt
the 502s were the keepalive setting, 75 seconds and they're gone
updating the firmware brought the scanner back
bleeding the radiators got the heating going
the double charges came from a retry without a key, now there is one
solved at last, the timezone in the container was wrong
vinegar got the stain out
setting the locale to C made the test pass everywhere
stale cookies were the whole story
""",
    "todo": """
passport runs out in August, can't let that slip
mum's cake needs ordering before the weekend
poke me tomorrow about the parking permit
my slides are due Thursday noon
we've tickets for the opera on the 22nd
the car's MOT is up at the end of the month
homework for me: read the lease before signing next week
got to be at the embassy on the 6th with two photos
the library wants its books back by the 19th
the wedding speech has to be ready by the 5th
I need to call the school first thing Monday
the cooker's coming on Friday, someone must be in
I'm having my wisdom teeth out on the 11th
our anniversary dinner isn't booked yet, must do
the warranty ends on the 19th, send it in before
please nag me about the visa next week
Tuesday's the last day to hand in the keys
my review with Olga is on Thursday at two
got to get the snow tyres on before November
I fly out Monday at dawn
the essay has to be in by midnight on Sunday
bank appointment on the 23rd, bring the payslips
I should ring Ted back before the weekend
my audition is next Thursday and I still have to learn the second song
we're off to the lake house on the 10th of July
I've an appointment with the adoption agency on Friday at two
rent's due on the first, I mustn't be late
the cat needs her shots before the 20th
I'm meeting the notary on Monday at three
the report wants finishing by Wednesday
got the in-laws coming on the 8th
note to self, order the ink
Thursday 4 pm, parents' evening
I've promised Mo a reference by Friday
the fridge man comes on Tuesday morning
must fix that tap before winter
the exam is on 12 February
we close on the house on the 30th
there's a school play on the 17th I can't miss
someone has to pick up Gran from the airport on Sunday, and that's me
the deadline for the grant is the end of May
I've an MRI on Tuesday
vet at half five tomorrow
my library card needs renewing this month
taxes, ugh, by the end of April
mark the 3rd, the auditors are in
the subscription renews on the 28th, has to be cancelled before
the boiler check is long overdue, must get that booked
don't let Friday pass without me paying the deposit
still haven't sent the forms, they need them this week
on my list for tomorrow: the bank, the tailor, the post
I need a present for Tilda by Saturday
prod freeze starts on the 15th, so the patch goes out before that
I'm due at the registry on the 9th
a talk to write before the conference in June
the roofers start on Monday week
give me a shout on Thursday about the car tax
I fly to Boston on the 2nd
the garden waste goes on Tuesday, remind me Monday night
blood test on an empty stomach Thursday at seven
the contract must be signed and posted by noon on Friday
the oven is being delivered on the 14th
kids' camp starts in the second week of July
I have to hand the keys over on the 31st
haircut Wednesday at ten
the plants need water while I'm gone, ask Ines
""",
    "explicit": """
file this away: the alarm code hint is grandma's street
for the record, the spare key hangs behind the shed
please hang on to this: our wifi guest network is called Otter
burn this into your memory: the blue bin goes out on Thursdays
one for the notebook, Aunt Lil can't eat nuts
hold on to this for me, the gas meter number ends in 77
keep a note of it: Dad takes his pills at eight
don't lose this: the plumber's called Grzegorz
I want you to know for next time that I park in lot C
write down that the projector needs the long cable
for future reference, our tax class is three
keep this on file: Noor's teacher is Mr Haddad
make a mental note, the cleaner comes on Mondays
never forget that Ella can't have sesame
one to remember, the shed key is under the gnome
save this for later, my frame size is 56
please note for the future: the lift is out until March
log this: filter changed on 3 May
you should know and keep knowing that my birthday is a sore subject
add to what you know about me: I play the oboe
let it be noted that we call the car Berta
keep it in mind for all our chats, I'm a night shift worker
this is one for your memory, the safe word is not pineapple but the dog is
memo: Uncle Sid moved to Hull
put on record that the loft is not insulated
""",
}
