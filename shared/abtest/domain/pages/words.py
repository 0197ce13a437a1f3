"""The few words of a page that its author does not write, in the language of the page."""

from dataclasses import dataclass
from typing import NamedTuple

RIGHT_TO_LEFT = frozenset({"ar", "fa", "he", "ur", "yi"})


class Words(NamedTuple):
    """Words of one language."""

    skip: str
    yes: str
    no: str
    optional: str
    choose: str
    invalid: str


_ENGLISH = Words("Skip to content", "Yes", "No", "optional", "Please choose", "Please fill in this field as described.")
_WORDS = {
    "en": _ENGLISH,
    "da": Words(
        "Gå til indhold", "Ja", "Nej", "valgfrit", "Vælg venligst", "Udfyld venligst dette felt som beskrevet."
    ),
    "de": Words(
        "Zum Inhalt springen", "Ja", "Nein", "optional", "Bitte auswählen", "Bitte füllen Sie dieses Feld richtig aus."
    ),
    "es": Words("Ir al contenido", "Sí", "No", "opcional", "Seleccione", "Rellene este campo correctamente."),
    "fr": Words(
        "Aller au contenu", "Oui", "Non", "facultatif", "Veuillez choisir", "Veuillez remplir ce champ correctement."
    ),
    "it": Words("Vai al contenuto", "Sì", "No", "facoltativo", "Selezionare", "Compilare correttamente questo campo."),
    "nl": Words("Naar de inhoud", "Ja", "Nee", "optioneel", "Maak een keuze", "Vul dit veld juist in."),
    "pl": Words("Przejdź do treści", "Tak", "Nie", "opcjonalne", "Wybierz", "Wypełnij poprawnie to pole."),
    "pt": Words("Ir para o conteúdo", "Sim", "Não", "opcional", "Selecione", "Preencha este campo corretamente."),
    "sv": Words("Hoppa till innehållet", "Ja", "Nej", "valfritt", "Välj", "Fyll i fältet korrekt."),
}


@dataclass(frozen=True, slots=True)
class Language:
    """Words, the language that they are in where it is not the page's, and the direction of writing."""

    words: Words
    lang: str | None
    direction: str | None


def language(tag: str) -> Language:
    """Return the words of a page's language. Without a translation they are English, and marked as English."""
    primary = tag.partition("-")[0].lower()
    direction = "rtl" if primary in RIGHT_TO_LEFT else None
    return Language(_WORDS.get(primary, _ENGLISH), None if primary in _WORDS else "en", direction)
