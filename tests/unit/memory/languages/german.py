"""German: compounds, umlauts, inflected verbs and nouns."""

from __future__ import annotations

from typing import Final

from tests.unit.memory.languages.asking import Topic

GERMAN: Final = (
    Topic(
        (
            ("Wogegen ist meine Tochter allergisch?", "Unsere Tochter Lena ist gegen Haselnüsse allergisch."),
            ("Wie heißt der Kindergarten von Jonas?", "Jonas geht seit August in den Kindergarten Sonnenblume."),
            ("Wann hat meine Schwiegermutter Geburtstag?", "Der Geburtstag meiner Schwiegermutter ist am 3. November."),
            ("Welches Instrument lernt Lena?", "Lena lernt jetzt Querflöte, das Instrument leihen wir von der Schule."),
            ("In welcher Stadt wohnt mein Bruder?", "Mein Bruder wohnt inzwischen in Görlitz, gleich am Fluss."),
        ),
        (
            "Die Kinder haben am Wochenende bei den Großeltern übernachtet.",
            "Jonas hat heute zum ersten Mal allein seine Schuhe gebunden.",
            "Meine Schwester kommt zu Ostern mit ihrer Familie zu Besuch.",
        ),
    ),
    Topic(
        (
            (
                "Wann ist der Abgabetermin für den Projektbericht?",
                "Den Projektbericht müssen wir bis zum 15. März abgeben.",
            ),
            ("Wer vertritt mich im Urlaub?", "Während meines Urlaubs übernimmt Frau Özdemir die Vertretung."),
            ("Welche Datenbank benutzt das neue System?", "Das neue System läuft mit PostgreSQL als Datenbank."),
            ("Wie viel kostet die Lizenz im Jahr?", "Die Lizenz kostet uns 1.800 Euro im Jahr, zahlbar im Januar."),
            ("In welchem Raum findet die Teambesprechung statt?", "Unsere Teambesprechung ist ab jetzt im Raum 204."),
        ),
        (
            "Die Besprechung mit dem Kunden war anstrengend, aber wir kommen voran.",
            "Der neue Kollege hat sich schnell eingearbeitet.",
            "Nächstes Jahr wollen wir zwei Systeme zusammenlegen.",
        ),
    ),
    Topic(
        (
            ("Wo übernachten wir in Wien?", "In Wien haben wir die Pension am Naschmarkt gebucht."),
            (
                "Wie lange dauert die Zugfahrt nach Prag?",
                "Mit dem Zug nach Prag fährt man von hier viereinhalb Stunden.",
            ),
            (
                "Welche Insel hat uns im Sommer am besten gefallen?",
                "Von allen Inseln im Sommer fanden wir Amrum am schönsten.",
            ),
            ("Wo habe ich meinen Reisepass hingelegt?", "Mein Reisepass liegt in der blauen Mappe im Schreibtisch."),
            ("Wann geht der Flug nach Lissabon?", "Unser Flug nach Lissabon startet am Freitag um 6:40 Uhr."),
        ),
        (
            "Im Sommer wollen wir endlich wieder länger verreisen.",
            "Der Zug hatte auf dem Rückweg zwei Stunden Verspätung.",
            "Für den Flug dürfen wir nur Handgepäck mitnehmen.",
        ),
    ),
    Topic(
        (
            (
                "Welche Tabletten nehme ich gegen den Bluthochdruck?",
                "Gegen den Bluthochdruck nehme ich morgens Ramipril.",
            ),
            ("Wann habe ich den nächsten Zahnarzttermin?", "Beim Zahnarzt habe ich den nächsten Termin am 12. Juni."),
            ("Wie heißt meine Physiotherapeutin?", "Meine Physiotherapeutin Frau Nowak macht die Übungen mit mir."),
            ("Welche Blutgruppe habe ich?", "Auf dem Spenderausweis steht, dass meine Blutgruppe B negativ ist."),
            ("Seit wann laufe ich regelmäßig?", "Regelmäßig laufen gehe ich erst seit dem Herbst, drei Mal die Woche."),
        ),
        (
            "Beim Arzt musste ich heute ewig warten.",
            "Mein Rücken tut nach dem Umzug immer noch weh.",
            "Ich sollte abends weniger Kaffee trinken.",
        ),
    ),
    Topic(
        (
            (
                "Wie oft muss ich den Rasen düngen?",
                "Der Rasen wird zweimal im Jahr gedüngt, im April und im September.",
            ),
            ("Welche Farbe hat die neue Küche?", "Die neue Küche wird salbeigrün, die Arbeitsplatte aus Eiche."),
            ("Wo steht der Hauptwasserhahn?", "Den Hauptwasserhahn findet man im Keller hinter der Waschmaschine."),
            ("Wie heißt der Schornsteinfeger?", "Der Schornsteinfeger, Herr Brückner, kommt jedes Jahr im Oktober."),
            (
                "Wo ist der Ersatzschlüssel?",
                "Den Ersatzschlüssel haben wir bei den Nachbarn im zweiten Stock gelassen.",
            ),
        ),
        (
            "Im Garten blühen schon die ersten Krokusse.",
            "Die Waschmaschine macht beim Schleudern seltsame Geräusche.",
            "Die Nachbarn renovieren seit Wochen ihr Bad.",
        ),
    ),
)
