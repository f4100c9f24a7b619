import type { Texts } from '../texts.ts';

/** The connect page in Dutch. */
export const nl: Texts = {
  tag: 'nl',
  direction: 'ltr',
  pickTitle: 'Koppel je apparaten en apps',
  pickText:
    'Kies de diensten waarvan {app} gegevens mag ontvangen. Voordat er iets wordt gekoppeld, zie je wat er wordt gedeeld.',
  nothingOffered:
    'Er kan op dit moment niets worden gekoppeld. Ga terug naar de app en probeer het later opnieuw.',
  reasons: {
    access_ended:
      'De toegang tot {providers} is beëindigd, dus er komen geen nieuwe gegevens binnen: koppel opnieuw.',
    no_data:
      'Er zijn al een tijdje geen nieuwe gegevens van {providers} binnengekomen: open de app van {providers} op je apparaat, zodat die gegevens kan verzenden, of koppel opnieuw.',
  },
  states: { none: 'Niet gekoppeld', connected: 'Gekoppeld', expired: 'Toegang beëindigd' },
  choose: { none: 'Koppelen', connected: 'Opnieuw koppelen', expired: 'Weer koppelen' },
  consentTitle: '{provider} koppelen',
  consentText: 'Als je doorgaat, ontvangt {app} deze gegevens uit je account bij {provider}:',
  shares: {
    activities: 'Activiteiten en trainingen',
    daily_activity: 'Stappen, afstand en calorieën van elke dag',
    heart_rate: 'Hartslag',
    oxygen_saturation: 'Zuurstof in het bloed',
    sleep: 'Slaap',
    stress: 'Stress en herstel',
    body: 'Gewicht en lichaamssamenstelling',
    blood_pressure: 'Bloeddruk',
    glucose: 'Bloedglucose en insuline',
    nutrition: 'Voeding',
    mindfulness: 'Mindfulnesssessies',
    cycle: 'Menstruatiecyclus',
    routes: 'Routes van je trainingen: plaatsen, snelheid en hoogte',
    profile: 'Privacyinstellingen van je profiel',
  },
  consentPeriod: 'Gegevens van de afgelopen weken en nieuwe gegevens worden gedeeld totdat je ontkoppelt.',
  notShared: 'Je wachtwoord voor {provider}, je contacten en je berichten worden niet gedeeld.',
  consentRights:
    'Je kiest de machtigingen op de volgende pagina, bij {provider}, en kunt de toegang daar of in {app} op elk moment beëindigen.',
  region: {
    question: 'In welk land is je account bij {provider} geregistreerd?',
    choose: 'Maak een keuze',
    elsewhere: 'Een ander land',
  },
  agree: 'Akkoord en doorgaan naar {provider}',
  back: 'Terug',
  leaving: 'Je gaat naar {provider}…',
  follow: 'Doorgaan naar {provider}',
  codeTitle: 'Je code voor {provider}',
  codeText:
    'Voer deze code binnen 15 minuten in {app} op het apparaat in. De code werkt één keer. Geef hem aan niemand anders.',
  done: 'Terug naar {app}',
  mayClose: 'Als je klaar bent, kun je deze pagina sluiten en teruggaan naar de app.',
  connected: '{provider} is gekoppeld.',
  failures: {
    access_denied: 'Je hebt geen toegang gegeven, dus {provider} is niet gekoppeld. Er is niets opgeslagen.',
    permission_missing:
      'Zonder de machtiging om activiteiten of gezondheidsgegevens te lezen, kan {provider} niet worden gekoppeld. Koppel opnieuw en laat deze aangevinkt.',
    link_expired: 'De pagina van {provider} stond te lang open. Koppel opnieuw.',
    code_expired:
      'De bevestiging van {provider} kwam te laat aan, want die is maar kort geldig. Koppel opnieuw.',
    provider_refused: '{provider} heeft de toegang niet bevestigd. Koppel opnieuw.',
    provider_unavailable: '{provider} reageert op dit moment niet. Koppel over een paar minuten opnieuw.',
    account_taken:
      'Dit account bij {provider} is aan iemand anders gekoppeld. Log uit bij {provider} en koppel opnieuw met je eigen account.',
    user_gone: 'Je account in de app bestaat niet meer.',
    unavailable: 'Er is bij ons iets misgegaan. Koppel over een paar minuten opnieuw.',
  },
  problems: {
    unknown: {
      title: 'Deze link is ongeldig',
      text: 'De link is onvolledig of komt niet van deze dienst. Er is niets gewijzigd. Ga terug naar de app en begin daar opnieuw.',
    },
    expired: {
      title: 'Deze link is verlopen',
      text: 'Een link werkt 30 minuten. Wat gekoppeld is, blijft gekoppeld. Ga terug naar de app en begin daar opnieuw.',
    },
    foreign: {
      title: 'Deze link hoort bij een andere browser',
      text: 'De link werkt alleen in de browser waarin als eerste akkoord is gegeven, en alleen met cookies. Er is niets gewijzigd. Ga verder in die browser, of ga terug naar de app en begin opnieuw.',
    },
    user_gone: {
      title: 'Dit account bestaat niet meer',
      text: 'Het account waarvoor deze link is gemaakt, is verwijderd. Er is niets gekoppeld. Neem contact op met de aanbieder van de app als je dit niet had verwacht.',
    },
    form: {
      title: 'Probeer het opnieuw',
      text: 'Het verzoek kwam niet van deze pagina, of de pagina is verouderd. Er is niets gewijzigd. Ga terug, laad de pagina opnieuw en probeer het nog een keer.',
    },
    limited: {
      title: 'Te veel verzoeken',
      text: 'Er kwamen veel verzoeken van je netwerk. Er is niets gewijzigd. Wacht een minuut en laad deze pagina opnieuw.',
    },
    unavailable: {
      title: 'Dit lukt op dit moment niet',
      text: 'Er is bij ons iets misgegaan. Er is niets gewijzigd. Laad deze pagina over een paar minuten opnieuw.',
    },
  },
};
