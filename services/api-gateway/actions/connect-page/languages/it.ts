import type { Texts } from '../texts.ts';

/** The connect page in Italian. */
export const it: Texts = {
  tag: 'it',
  direction: 'ltr',
  pickTitle: 'Collega i tuoi dispositivi e le tue app',
  pickText:
    'Scegli i servizi da cui {app} può ricevere dati. Prima di ogni collegamento vedi che cosa viene condiviso.',
  nothingOffered: 'Al momento non c’è nulla da collegare. Torna all’app e riprova più tardi.',
  reasons: {
    access_ended: 'L’accesso a {providers} è terminato e non arrivano nuovi dati: ripeti il collegamento.',
    no_data:
      'Da qualche tempo non arrivano nuovi dati da {providers}: apri l’app di {providers} sul tuo dispositivo perché possa inviare i dati, oppure ripeti il collegamento.',
  },
  states: { none: 'Non collegato', connected: 'Collegato', expired: 'Accesso terminato' },
  choose: { none: 'Collega', connected: 'Collega di\u00a0nuovo', expired: 'Ricollega' },
  consentTitle: 'Collega {provider}',
  consentText: 'Se continui, {app} riceve questi dati dal tuo account {provider}:',
  shares: {
    activities: 'Attività e allenamenti',
    daily_activity: 'Passi, distanza e calorie di ogni giorno',
    heart_rate: 'Frequenza cardiaca',
    oxygen_saturation: 'Ossigeno nel sangue',
    sleep: 'Sonno',
    stress: 'Stress e recupero',
    body: 'Peso e composizione corporea',
    blood_pressure: 'Pressione sanguigna',
    glucose: 'Glicemia e insulina',
    nutrition: 'Alimentazione',
    mindfulness: 'Sessioni di mindfulness',
    cycle: 'Ciclo mestruale',
    routes: 'Percorsi dei tuoi allenamenti: luoghi, velocità e altitudine',
    profile: 'Impostazioni sulla privacy del tuo profilo',
  },
  consentPeriod: 'I dati delle ultime settimane e quelli nuovi vengono condivisi finché non ti scolleghi.',
  notShared: 'La tua password di {provider}, i tuoi contatti e i tuoi messaggi non vengono condivisi.',
  consentRights:
    'Scegli le autorizzazioni nella pagina successiva, su {provider}, e puoi revocare l’accesso lì o in {app} in qualsiasi momento.',
  region: {
    question: 'In quale paese è registrato il tuo account {provider}?',
    choose: 'Scegli un’opzione',
    elsewhere: 'Un altro paese',
  },
  agree: 'Accetta e continua su {provider}',
  back: 'Indietro',
  leaving: 'Stai per passare a {provider}…',
  follow: 'Continua su {provider}',
  codeTitle: 'Il tuo codice per {provider}',
  codeText:
    'Inserisci questo codice in {app} sul dispositivo entro 15 minuti. Funziona una sola volta. Non comunicarlo a nessuno.',
  done: 'Torna a {app}',
  mayClose: 'Quando hai finito, puoi chiudere questa pagina e tornare all’app.',
  connected: '{provider} è collegato.',
  failures: {
    access_denied:
      'Non hai consentito l’accesso, quindi {provider} non è stato collegato. Non è stato salvato nulla.',
    permission_missing:
      'Senza l’autorizzazione a leggere le attività o i dati sulla salute non è possibile collegare {provider}. Ripeti il collegamento e lasciala selezionata.',
    link_expired: 'La pagina di {provider} è rimasta aperta troppo a lungo. Ripeti il collegamento.',
    code_expired:
      'La conferma di {provider} è arrivata troppo tardi, perché è valida solo per poco tempo. Ripeti il collegamento.',
    provider_refused: '{provider} non ha confermato l’accesso. Ripeti il collegamento.',
    provider_unavailable: '{provider} non risponde al momento. Ripeti il collegamento tra qualche minuto.',
    account_taken:
      'Questo account {provider} è collegato a un’altra persona. Esci da {provider} e ripeti il collegamento con il tuo account.',
    user_gone: 'Il tuo account nell’app non esiste più.',
    unavailable: 'Si è verificato un errore da parte nostra. Ripeti il collegamento tra qualche minuto.',
  },
  problems: {
    unknown: {
      title: 'Questo link non è valido',
      text: 'È incompleto o non proviene da questo servizio. Non è stato modificato nulla. Torna all’app e ricomincia da lì.',
    },
    expired: {
      title: 'Questo link è scaduto',
      text: 'Un link vale 30 minuti. Ciò che è stato collegato resta collegato. Torna all’app e ricomincia da lì.',
    },
    foreign: {
      title: 'Questo link appartiene a un altro browser',
      text: 'Funziona solo nel browser in cui è stato dato per primo il consenso, con i cookie attivi. Non è stato modificato nulla. Continua in quel browser, oppure torna all’app e ricomincia da lì.',
    },
    user_gone: {
      title: 'Questo account non esiste più',
      text: 'L’account per cui è stato creato questo link è stato eliminato. Non è stato collegato nulla. Se non te lo aspettavi, contatta il gestore dell’app.',
    },
    form: {
      title: 'Riprova',
      text: 'La richiesta non proveniva da questa pagina, oppure la pagina non è aggiornata. Non è stato modificato nulla. Torna indietro, ricarica la pagina e riprova.',
    },
    limited: {
      title: 'Troppe richieste',
      text: 'Dalla tua rete sono arrivate molte richieste. Non è stato modificato nulla. Attendi un minuto e ricarica questa pagina.',
    },
    unavailable: {
      title: 'Al momento non è possibile',
      text: 'Si è verificato un errore da parte nostra. Non è stato modificato nulla. Ricarica questa pagina tra qualche minuto.',
    },
  },
};
