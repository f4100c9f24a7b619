import type { Texts } from '../texts.ts';

/** The connect page in German. */
export const de: Texts = {
  tag: 'de',
  direction: 'ltr',
  pickTitle: 'Geräte und Apps verbinden',
  pickText:
    'Wählen Sie die Dienste aus, von denen {app} Daten erhalten darf. Bevor etwas verbunden wird, sehen Sie, was geteilt wird.',
  nothingOffered:
    'Im Moment lässt sich nichts verbinden. Bitte gehen Sie zurück zur App und versuchen Sie es später erneut.',
  reasons: {
    access_ended:
      'Der Zugriff auf {providers} ist beendet, daher kommen keine neuen Daten mehr an: Bitte verbinden Sie erneut.',
    no_data:
      'Seit einiger Zeit sind keine neuen Daten von {providers} angekommen: Bitte öffnen Sie die App von {providers} auf Ihrem Gerät, damit sie Daten senden kann, oder verbinden Sie erneut.',
  },
  states: {
    none: 'Nicht verbunden',
    connected: 'Verbunden',
    expired: 'Zugriff beendet',
  },
  choose: { none: 'Verbinden', connected: 'Erneut verbinden', expired: 'Wieder verbinden' },
  consentTitle: '{provider} verbinden',
  consentText: 'Wenn Sie fortfahren, erhält {app} diese Daten aus Ihrem Konto bei {provider}:',
  shares: {
    activities: 'Aktivitäten und Trainings',
    daily_activity: 'Schritte, Strecke und Kalorien jedes Tages',
    heart_rate: 'Herzfrequenz',
    oxygen_saturation: 'Sauerstoffsättigung des Blutes',
    sleep: 'Schlaf',
    stress: 'Stress und Erholung',
    body: 'Gewicht und Körperzusammensetzung',
    blood_pressure: 'Blutdruck',
    glucose: 'Blutzucker und Insulin',
    nutrition: 'Ernährung',
    mindfulness: 'Achtsamkeitsübungen',
    cycle: 'Menstruationszyklus',
    routes: 'Strecken Ihrer Trainings: Orte, Geschwindigkeit und Höhe',
    profile: 'Datenschutzeinstellungen Ihres Profils',
  },
  consentPeriod:
    'Daten der vergangenen Wochen und neue Daten werden geteilt, bis Sie die Verbindung trennen.',
  notShared: 'Ihr Passwort für {provider}, Ihre Kontakte und Ihre Nachrichten werden nicht geteilt.',
  consentRights:
    'Die Berechtigungen wählen Sie auf der nächsten Seite bei {provider}. Dort oder in {app} können Sie den Zugriff jederzeit beenden.',
  region: {
    question: 'In welchem Land ist Ihr Konto bei {provider} registriert?',
    choose: 'Bitte wählen',
    elsewhere: 'Ein anderes Land',
  },
  agree: 'Zustimmen und weiter zu {provider}',
  back: 'Zurück',
  leaving: 'Weiter zu {provider} …',
  follow: 'Weiter zu {provider}',
  codeTitle: 'Ihr Code für {provider}',
  codeText:
    'Geben Sie diesen Code innerhalb von 15 Minuten auf dem Gerät in {app} ein. Er gilt einmal. Geben Sie ihn nicht weiter.',
  done: 'Zurück zu {app}',
  mayClose: 'Wenn Sie fertig sind, können Sie diese Seite schließen und zur App zurückkehren.',
  connected: '{provider} ist verbunden.',
  failures: {
    access_denied:
      'Sie haben den Zugriff nicht erlaubt, daher wurde {provider} nicht verbunden. Es wurde nichts gespeichert.',
    permission_missing:
      'Ohne die Berechtigung, Aktivitäten oder Gesundheitsdaten zu lesen, lässt sich {provider} nicht verbinden. Bitte verbinden Sie erneut und lassen Sie sie ausgewählt.',
    link_expired: 'Die Seite von {provider} war zu lange geöffnet. Bitte verbinden Sie erneut.',
    code_expired:
      'Die Bestätigung von {provider} kam zu spät an, denn sie gilt nur kurze Zeit. Bitte verbinden Sie erneut.',
    provider_refused: '{provider} hat den Zugriff nicht bestätigt. Bitte verbinden Sie erneut.',
    provider_unavailable:
      '{provider} antwortet im Moment nicht. Bitte verbinden Sie in einigen Minuten erneut.',
    account_taken:
      'Dieses Konto bei {provider} ist mit einer anderen Person verbunden. Melden Sie sich bei {provider} ab und verbinden Sie erneut mit Ihrem eigenen Konto.',
    user_gone: 'Ihr Konto in der App gibt es nicht mehr.',
    unavailable: 'Bei uns ist ein Fehler aufgetreten. Bitte verbinden Sie in einigen Minuten erneut.',
  },
  problems: {
    unknown: {
      title: 'Dieser Link ist ungültig',
      text: 'Er ist unvollständig oder stammt nicht von diesem Dienst. Es wurde nichts geändert. Bitte gehen Sie zurück zur App und beginnen Sie dort von vorn.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Ein Link gilt 30 Minuten. Was verbunden wurde, bleibt verbunden. Bitte gehen Sie zurück zur App und beginnen Sie dort von vorn.',
    },
    foreign: {
      title: 'Dieser Link gehört zu einem anderen Browser',
      text: 'Er funktioniert nur in dem Browser, in dem zuerst zugestimmt wurde, und nur mit Cookies. Es wurde nichts geändert. Bitte fahren Sie dort fort, oder gehen Sie zurück zur App und beginnen Sie von vorn.',
    },
    user_gone: {
      title: 'Dieses Konto gibt es nicht mehr',
      text: 'Das Konto, für das dieser Link erstellt wurde, ist gelöscht. Es wurde nichts verbunden. Bitte fragen Sie den Betreiber der App, wenn Sie das nicht erwartet haben.',
    },
    form: {
      title: 'Bitte versuchen Sie es erneut',
      text: 'Die Anfrage kam nicht von dieser Seite, oder die Seite ist veraltet. Es wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu und versuchen Sie es erneut.',
    },
    limited: {
      title: 'Zu viele Anfragen',
      text: 'Aus Ihrem Netz kamen viele Anfragen. Es wurde nichts geändert. Bitte warten Sie eine Minute und laden Sie diese Seite neu.',
    },
    unavailable: {
      title: 'Das geht im Moment nicht',
      text: 'Bei uns ist ein Fehler aufgetreten. Es wurde nichts geändert. Bitte laden Sie diese Seite in einigen Minuten neu.',
    },
  },
};
