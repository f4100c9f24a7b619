import type { Texts } from '../texts.ts';

/** The connect page in French. */
export const fr: Texts = {
  tag: 'fr',
  direction: 'ltr',
  pickTitle: 'Connecter vos appareils et applications',
  pickText:
    'Choisissez les services dont {app} peut recevoir des données. Avant toute connexion, vous voyez ce qui est partagé.',
  nothingOffered:
    'Rien ne peut être connecté pour le moment. Revenez à l’application et réessayez plus tard.',
  reasons: {
    access_ended:
      'L’accès à {providers} a pris fin et aucune nouvelle donnée n’arrive : veuillez vous reconnecter.',
    no_data:
      'Aucune nouvelle donnée de {providers} n’est arrivée depuis un certain temps : veuillez ouvrir l’application de {providers} sur votre appareil pour qu’elle puisse envoyer des données, ou vous reconnecter.',
  },
  states: {
    none: 'Non connecté',
    connected: 'Connecté',
    expired: 'Accès terminé',
  },
  choose: { none: 'Connecter', connected: 'Connecter à\u00a0nouveau', expired: 'Reconnecter' },
  consentTitle: 'Connecter {provider}',
  consentText: 'Si vous continuez, {app} reçoit ces données de votre compte {provider} :',
  shares: {
    activities: 'Activités et entraînements',
    daily_activity: 'Pas, distance et calories de chaque jour',
    heart_rate: 'Fréquence cardiaque',
    oxygen_saturation: 'Oxygène dans le sang',
    sleep: 'Sommeil',
    stress: 'Stress et récupération',
    body: 'Poids et composition corporelle',
    blood_pressure: 'Tension artérielle',
    glucose: 'Glycémie et insuline',
    nutrition: 'Alimentation',
    mindfulness: 'Séances de pleine conscience',
    cycle: 'Cycle menstruel',
    routes: 'Parcours de vos entraînements : lieux, vitesse et altitude',
    profile: 'Paramètres de confidentialité de votre profil',
  },
  consentPeriod:
    'Les données des semaines passées et les nouvelles données sont partagées jusqu’à la déconnexion.',
  notShared: 'Votre mot de passe {provider}, vos contacts et vos messages ne sont pas partagés.',
  consentRights:
    'Vous choisissez les autorisations à la page suivante, chez {provider}, et pouvez mettre fin à l’accès à tout moment, là ou dans {app}.',
  region: {
    question: 'Dans quel pays votre compte {provider} est-il enregistré ?',
    choose: 'Veuillez choisir',
    elsewhere: 'Un autre pays',
  },
  agree: 'Accepter et continuer vers {provider}',
  back: 'Retour',
  leaving: 'Redirection vers {provider}…',
  follow: 'Continuer vers {provider}',
  codeTitle: 'Votre code pour {provider}',
  codeText:
    'Saisissez ce code dans {app} sur l’appareil dans les 15 minutes. Il ne fonctionne qu’une fois. Ne le communiquez à personne.',
  done: 'Retour à {app}',
  mayClose: 'Lorsque vous avez terminé, vous pouvez fermer cette page et revenir à l’application.',
  connected: '{provider} est connecté.',
  failures: {
    access_denied:
      'Vous n’avez pas autorisé l’accès, {provider} n’a donc pas été connecté. Rien n’a été enregistré.',
    permission_missing:
      'Sans l’autorisation de lire les activités ou les données de santé, {provider} ne peut pas être connecté. Recommencez et laissez-la cochée.',
    link_expired: 'La page de {provider} est restée ouverte trop longtemps. Veuillez recommencer.',
    code_expired:
      'La confirmation de {provider} est arrivée trop tard, car elle n’est valable que peu de temps. Veuillez recommencer.',
    provider_refused: '{provider} n’a pas confirmé l’accès. Veuillez recommencer.',
    provider_unavailable:
      '{provider} ne répond pas pour le moment. Veuillez recommencer dans quelques minutes.',
    account_taken:
      'Ce compte {provider} est connecté à une autre personne. Déconnectez-vous de {provider}, puis recommencez avec votre propre compte.',
    user_gone: 'Votre compte dans l’application n’existe plus.',
    unavailable: 'Une erreur s’est produite de notre côté. Veuillez recommencer dans quelques minutes.',
  },
  problems: {
    unknown: {
      title: 'Ce lien n’est pas valable',
      text: 'Il est incomplet ou ne provient pas de ce service. Rien n’a été modifié. Revenez à l’application et recommencez.',
    },
    expired: {
      title: 'Ce lien a expiré',
      text: 'Un lien est valable 30 minutes. Ce qui a été connecté le reste. Revenez à l’application et recommencez.',
    },
    foreign: {
      title: 'Ce lien appartient à un autre navigateur',
      text: 'Il ne fonctionne que dans le navigateur où l’accord a été donné en premier, avec les cookies autorisés. Rien n’a été modifié. Continuez dans ce navigateur, ou revenez à l’application et recommencez.',
    },
    user_gone: {
      title: 'Ce compte n’existe plus',
      text: 'Le compte pour lequel ce lien a été créé est supprimé. Rien n’a été connecté. Si vous ne vous y attendiez pas, contactez l’exploitant de l’application.',
    },
    form: {
      title: 'Veuillez réessayer',
      text: 'La demande ne venait pas de cette page, ou la page n’est plus à jour. Rien n’a été modifié. Revenez en arrière, rechargez la page et réessayez.',
    },
    limited: {
      title: 'Trop de demandes',
      text: 'De nombreuses demandes sont venues de votre réseau. Rien n’a été modifié. Attendez une minute et rechargez cette page.',
    },
    unavailable: {
      title: 'Cela ne fonctionne pas pour le moment',
      text: 'Une erreur s’est produite de notre côté. Rien n’a été modifié. Rechargez cette page dans quelques minutes.',
    },
  },
};
