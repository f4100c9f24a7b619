import type { Texts } from '../texts.ts';

/** The connect page in Polish. Names follow a noun such as "usługa", because they are not inflected. */
export const pl: Texts = {
  tag: 'pl',
  direction: 'ltr',
  pickTitle: 'Połącz swoje urządzenia i aplikacje',
  pickText:
    'Wybierz usługi, z których aplikacja {app} może otrzymywać dane. Zanim cokolwiek zostanie połączone, zobaczysz, co jest udostępniane.',
  nothingOffered: 'Obecnie nie ma czego połączyć. Wróć do aplikacji i spróbuj ponownie później.',
  reasons: {
    access_ended: 'Dostęp do {providers} wygasł i nowe dane nie docierają: połącz ponownie.',
    no_data:
      'Od pewnego czasu nie docierają nowe dane z {providers}: otwórz aplikację {providers} na swoim urządzeniu, aby mogła wysłać dane, lub połącz ponownie.',
  },
  states: { none: 'Niepołączone', connected: 'Połączone', expired: 'Dostęp wygasł' },
  choose: { none: 'Połącz', connected: 'Połącz ponownie', expired: 'Odnów połączenie' },
  consentTitle: 'Połącz konto {provider}',
  consentText: 'Jeśli przejdziesz dalej, aplikacja {app} otrzyma te dane z Twojego konta {provider}:',
  shares: {
    activities: 'Aktywności i treningi',
    daily_activity: 'Kroki, dystans i kalorie z każdego dnia',
    heart_rate: 'Tętno',
    oxygen_saturation: 'Poziom tlenu we krwi',
    sleep: 'Sen',
    stress: 'Stres i regeneracja',
    body: 'Masa i skład ciała',
    blood_pressure: 'Ciśnienie krwi',
    glucose: 'Glukoza we krwi i insulina',
    nutrition: 'Odżywianie',
    mindfulness: 'Sesje uważności',
    cycle: 'Cykl menstruacyjny',
    routes: 'Trasy Twoich treningów: miejsca, prędkość i wysokość',
    profile: 'Ustawienia prywatności Twojego profilu',
  },
  consentPeriod: 'Dane z ostatnich tygodni i nowe dane są udostępniane do chwili rozłączenia.',
  notShared: 'Twoje hasło do {provider}, kontakty i wiadomości nie są udostępniane.',
  consentRights:
    'Uprawnienia wybierzesz na następnej stronie, w usłudze {provider}. Dostęp możesz zakończyć w każdej chwili tam lub w aplikacji {app}.',
  region: {
    question: 'W jakim kraju jest zarejestrowane Twoje konto {provider}?',
    choose: 'Wybierz',
    elsewhere: 'Inny kraj',
  },
  agree: 'Zgadzam się i przechodzę do {provider}',
  back: 'Wstecz',
  leaving: 'Przechodzisz do {provider}…',
  follow: 'Przejdź do {provider}',
  codeTitle: 'Twój kod do {provider}',
  codeText:
    'Wpisz ten kod w aplikacji {app} na urządzeniu w ciągu 15 minut. Działa tylko raz. Nie podawaj go nikomu.',
  done: 'Wróć do {app}',
  mayClose: 'Gdy skończysz, możesz zamknąć tę stronę i wrócić do aplikacji.',
  connected: 'Połączono z {provider}.',
  failures: {
    access_denied:
      'Nie zezwolono na dostęp, dlatego konto {provider} nie zostało połączone. Nic nie zapisano.',
    permission_missing:
      'Bez uprawnienia do odczytu aktywności lub danych o zdrowiu nie można połączyć konta {provider}. Połącz ponownie i pozostaw je zaznaczone.',
    link_expired: 'Strona {provider} była otwarta zbyt długo. Połącz ponownie.',
    code_expired:
      'Potwierdzenie z {provider} dotarło zbyt późno, ponieważ jest ważne tylko przez krótki czas. Połącz ponownie.',
    provider_refused: 'Usługa {provider} nie potwierdziła dostępu. Połącz ponownie.',
    provider_unavailable: 'Usługa {provider} w tej chwili nie odpowiada. Połącz ponownie za kilka minut.',
    account_taken:
      'To konto {provider} jest połączone z inną osobą. Wyloguj się z {provider} i połącz ponownie, używając własnego konta.',
    user_gone: 'Twoje konto w aplikacji już nie istnieje.',
    unavailable: 'Wystąpił błąd po naszej stronie. Połącz ponownie za kilka minut.',
  },
  problems: {
    unknown: {
      title: 'Ten link jest nieprawidłowy',
      text: 'Jest niekompletny lub nie pochodzi z tej usługi. Nic nie zostało zmienione. Wróć do aplikacji i zacznij od nowa.',
    },
    expired: {
      title: 'Ten link wygasł',
      text: 'Link działa przez 30 minut. To, co zostało połączone, pozostaje połączone. Wróć do aplikacji i zacznij od nowa.',
    },
    foreign: {
      title: 'Ten link należy do innej przeglądarki',
      text: 'Działa tylko w przeglądarce, w której najpierw wyrażono zgodę, i wymaga plików cookie. Nic nie zostało zmienione. Kontynuuj w tamtej przeglądarce albo wróć do aplikacji i zacznij od nowa.',
    },
    user_gone: {
      title: 'To konto już nie istnieje',
      text: 'Konto, dla którego utworzono ten link, zostało usunięte. Nic nie zostało połączone. Jeśli to dla Ciebie niespodzianka, skontaktuj się z operatorem aplikacji.',
    },
    form: {
      title: 'Spróbuj ponownie',
      text: 'Żądanie nie pochodziło z tej strony lub strona jest nieaktualna. Nic nie zostało zmienione. Wróć, odśwież stronę i spróbuj ponownie.',
    },
    limited: {
      title: 'Zbyt wiele żądań',
      text: 'Z Twojej sieci nadeszło wiele żądań. Nic nie zostało zmienione. Poczekaj minutę i odśwież tę stronę.',
    },
    unavailable: {
      title: 'W tej chwili to niemożliwe',
      text: 'Wystąpił błąd po naszej stronie. Nic nie zostało zmienione. Odśwież tę stronę za kilka minut.',
    },
  },
};
