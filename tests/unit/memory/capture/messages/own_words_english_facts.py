"""What people say in English in their own words: what is so about them; to fit on."""

from __future__ import annotations

from typing import Final

MESSAGES: Final[dict[str, str]] = {
    "fact": """
two legged household members: me and Jonas. four legged: a whippet called Pip
by day I audit banks, by night I DJ
my better half is a midwife
I go by Ziggy, long story
dad's the mayor of our village, believe it or not
insulin and I are on first name terms, have been since I was nine
I pay my rent by teaching Portuguese to bankers
the stork's due in October, our second
my little one just started at Hillcrest Primary
the big four-oh hits me on 9 June
penicillin would kill me, the doctors say
the ear on my left side is just decoration, deaf since birth
I wear two hats at work, QA and support
the army had me for eight years
my steed is a rusty 1998 Corolla
the server in my basement runs Debian
everything we deploy lives on two Raspberry Pis
English is my third language after Urdu and Dutch
bees, forty hives of them, that's what I do when I'm not at the clinic
the commute eats two hours of my day, Reading to London and back
my kid brother Theo flies helicopters
half my childhood was spent in Nairobi
nights are my shift, I'm a paramedic
a shellfish dinner puts me in hospital
the wheelchair doesn't fit through doors narrower than 70 cm
raised by nuns in Kerala, true story
my team is six engineers and one very patient designer
the mortgage and I have nineteen years left together
Tuesdays and Thursdays belong to the kids, custody thing
the band's called Low Tide, I'm on bass
I hold two passports, Irish and Canadian
my cholesterol is through the roof according to the last check
lost mum in spring
I answer to a woman called Petra, she runs our division
vegan going on ten years
I share a birthday with my dog, 1 April
my girlfriend's a welder
I'm an only child
I've run the corner shop since my dad died
we have no car
there's Polish on my mother's side
I was in the choir at St Paul's for a decade
the kids go to a Waldorf school
I'm short sighted and stubborn
I do shifts at the fire station
my wife is due on the 20th of April
we live in a yurt
my uncle Pat raised me
I work with my hands, I'm a plasterer
I'm on dialysis three times a week
I'm registered blind
I've a place in the fens with two ponies
I've been on the council since 2018
my mortgage is with Nationwide
our youngest is called Ottilie
my nephew stays with us during term
we are a family of redheads
I've had two hips replaced
my job takes me to Rotterdam twice a month
I've got a degree in theology of all things
I'm half the size I was, lost forty kilos last year
my name is spelled Siobhan, said Shivawn
our house is a listed building
my dad was a miner
I own three looms
I stutter on the phone
we run on Kubernetes, three clusters
the office is closed on Wednesdays here
our tests run on Buildkite
the customer database is MariaDB 10
I code on an iPad with a keyboard
we have 40,000 users, mostly in Brazil
our API is public and rate limited to 100 a minute
I look after my mother full time
I was born deaf
I'm on the autism spectrum
my cat has diabetes
I've never learned to drive
I ride a Triumph from 1969
we eat at six because of the kids
I've been in therapy since the accident
my boss is called Ingeborg, she's new
I'm a Leo, born 3 August
my other half works nights
I'm in the second year of my apprenticeship
we moved the family to Tartu last summer
I used to be a monk
my knee is made of titanium
I've lived in nine countries
my girl just turned eighteen
I'm a night porter at a hotel
they call me Moose
I've been with my partner for five years and we're raising two girls together
I grew up in Norway and my grandmother still lives there
I volunteer at the animal shelter every other Saturday
I'm training to become a counsellor and I work part time in a bookshop
I adopted my son Leo two years ago and it was the best day of my life
I've been learning the piano for six months with a teacher called Anna
I run a small dance studio downtown that I opened in January
my two younger kids, Ben and Lucy, go to the school around the corner
I lost my job at the bank last month so I started my own clothing shop
I've been sober for a year and go to meetings on Tuesdays
I transitioned three years ago
my dog Oscar is a rescue and he's been with us since 2021
I moved here from Sweden four years ago with my husband
we run everything on a single Postgres box under my desk
our monorepo holds the web app, the API and the docs
our clients are dentists mostly
I maintain an open source parser for PDF files
at our shop all services are written in Go
I'm the only backend developer in a team of five
six of us share one bathroom
I push papers at the tax office
my days are spent under cars, I'm a mechanic
the wife's from Manila
I've got one kidney
a metal plate holds my wrist together
divorced, two boys, every other weekend
I live out of a suitcase since the fire
my hair went grey at thirty
there's a baby on the way
the house we rent has no bath
farming runs in the blood, fifth generation here
I was born the year of the moon landing
my first language is Tamil
the old homestead is in Nebraska
I don't hear well out of my right ear
our eldest plays hockey for the county
I teach, kids mostly, and they teach me
I keep goats
my eyesight is shot, minus nine
home's a two room flat above a chip shop
the plane to Denver leaves at 6 on the 19th and I'm on it
my mother tongue is Welsh
I manage a team of nine
lactose wrecks my gut
I came to this country on a boat in '79
a guide dog takes me everywhere
the ticker's weak, bypass two years ago
I'm what they call a trailing spouse, no work permit
grew up above my parents' restaurant in Leeds
we homeschool our three
my office is a shed at the bottom of the garden
I speak four languages, five if you count Python
my brother runs a vineyard down in the Cape
my partner's deployed until February
my licence was taken away so I cycle
we lost our son in 2016
I'm the only woman in a crew of twelve
half Greek, half Danish, fully confused
thirty years at the post office and counting
my surname's spelled with an umlaut, Krüger
I've climbed all the Munros
we're expecting in May
stage three it was, in remission now
my days start at four, I bake
I drive a bin lorry
I sell insurance for a living
I'm in a wheelchair since the crash
there are three cats in this house, Tom, Dick and Harriet
my daughter has Down syndrome
the missus runs a salon
I'm the treasurer of our chess club
I used to fly jets, now I grow tulips
hip number two went in last winter
I did time when I was young
I'm on the night train to Vienna every other week for work
the farm has been ours since 1843
nuts make my throat close up
I've been a widow for three years
my place is on the 14th floor
the name on my birth certificate is Aleksandra, everyone says Sasha
I graduate in June
I'm a foster dad to two brothers
gluten lays me flat for days
we have a place in the Dordogne where we spend August
my inbox gets 200 mails a day, I run support for a game
I sing alto in a church choir
my grandfather built the house I live in
my cousin Faisal is my flatmate
I play goalie for the over forties
my dog's name is Waffle and he's deaf
I write code for hearing aids
I'm allergic to wool, seriously
we drive an old ambulance turned camper
my shift starts at 5 in the morning
I'm five foot two
I've had the same best friend since kindergarten, Odile
my sister and I don't speak
my husband snores so we have separate rooms
I'm dyslexic so bear with my spelling
I only have one good hand
there's a stammer I live with
I get seizures now and then
my team's spread over three time zones
our backend's written in Elixir
our stack is as boring as it gets, Django and Postgres
staging lives at hetzner, prod at OVH
my laptop is a ten year old ThinkPad with Arch
our repo has two million lines of Perl
the monitoring is all Grafana here
we're on Jira, sadly
CI takes forty minutes at our place
I host everything at home on a NUC
our data warehouse is Snowflake
my phone is an old Pixel 4
we have an on-call rota, mine is every fourth week
my parents run a guest house in Tyrol
I'm a judge, so no jokes about the law
I became a grandmother on Sunday, little Ravi
my kids are 4, 7 and 11
our anniversary falls on leap day
we bought a ruin in Umbria and are doing it up
I was laid off in March
I've just been made head of year
my son's in the navy
Mum has dementia and lives with us
I live with my gran and two parrots
I have perfect pitch
my blood type is O negative
my studio is in the old mill
I'm from up north, Tromsø
I was raised a Quaker
I keep kosher
we fast during Ramadan
I'm retired from the railways
the twins are in year two
my PhD is on beetle larvae
I've two left feet and flat ones too, orthotics and all
my driving test is behind me since last May, so I've a licence
my better half answers to Noemi
I live by the sea, ten steps to the water
my allotment neighbour is also my boss
my back's been bad ever since I fell off a ladder
my skin can't take the sun, lupus
I'm a stay at home dad
I'm sixty and I've just started judo
the band I drum in plays weddings
I breed border collies
I'm the caretaker of a primary school
I repair watches, third generation
I've a stall at the Saturday market, cheese mostly
I moonlight as a bouncer
my visa runs until 2028
my ex and I share custody
I'm doing my A levels
my commute is a ferry
nobody in my family went to university before me
I studied with nuns, then left the faith
they took out my gallbladder
I'm colour blind
my landlady lives downstairs
I lost my sense of smell to covid
""",
}
