import type { Texts } from '../texts.ts';

/** The connect page in English. */
export const en: Texts = {
  tag: 'en',
  direction: 'ltr',
  pickTitle: 'Connect your devices and apps',
  pickText:
    'Choose the services from which {app} may receive data. You see what is shared before anything is connected.',
  nothingOffered: 'There is nothing to connect at the moment. Please go back to the app and try again later.',
  reasons: {
    access_ended: 'The access to {providers} has ended, so no new data arrives: please connect again.',
    no_data:
      'No new data of {providers} has arrived for some time: please open the app of {providers} on your device so that it can send data, or connect again.',
  },
  states: {
    none: 'Not connected',
    connected: 'Connected',
    expired: 'Access ended',
  },
  choose: { none: 'Connect', connected: 'Connect again', expired: 'Reconnect' },
  consentTitle: 'Connect {provider}',
  consentText: 'If you continue, {app} receives this data from your {provider} account:',
  shares: {
    activities: 'Activities and workouts',
    daily_activity: 'Steps, distance and calories of each day',
    heart_rate: 'Heart rate',
    oxygen_saturation: 'Blood oxygen',
    sleep: 'Sleep',
    stress: 'Stress and recovery',
    body: 'Weight and body composition',
    blood_pressure: 'Blood pressure',
    glucose: 'Blood glucose and insulin',
    nutrition: 'Nutrition',
    mindfulness: 'Mindful sessions',
    cycle: 'Menstrual cycle',
    routes: 'Routes of your workouts: places, speed and altitude',
    profile: 'Privacy settings of your profile',
  },
  consentPeriod: 'Data of the past weeks and new data are shared until you disconnect.',
  notShared: 'Your password for {provider}, your contacts and your messages are not shared.',
  consentRights:
    'You choose the permissions on the next page, at {provider}, and can end the access there or in {app} at any time.',
  region: {
    question: 'In which country is your {provider} account registered?',
    choose: 'Please choose',
    elsewhere: 'Another country',
  },
  agree: 'Agree and continue to {provider}',
  back: 'Back',
  leaving: 'Continuing to {provider}…',
  follow: 'Continue to {provider}',
  codeTitle: 'Your code for {provider}',
  codeText:
    'Enter this code in {app} on the device within 15 minutes. It works once. Do not give it to anybody.',
  done: 'Back to {app}',
  mayClose: 'When you are done, you can close this page and go back to the app.',
  connected: '{provider} is connected.',
  failures: {
    access_denied: 'You did not allow access, so {provider} was not connected. Nothing was stored.',
    permission_missing:
      '{provider} cannot be connected without the permission to read activities or health data. Please connect again and leave it ticked.',
    link_expired: 'The page of {provider} was open for too long. Please connect again.',
    code_expired:
      'The confirmation of {provider} reached us too late, because it is valid for a short time only. Please connect again.',
    provider_refused: '{provider} did not confirm the access. Please connect again.',
    provider_unavailable: '{provider} does not answer at the moment. Please connect again in a few minutes.',
    account_taken:
      'This {provider} account is connected to another user. Log out of {provider}, then connect again with your own account.',
    user_gone: 'Your account in the app does not exist any more.',
    unavailable: 'Something did not work on our side. Please connect again in a few minutes.',
  },
  problems: {
    unknown: {
      title: 'This link is not valid',
      text: 'It is incomplete or was not made by this service. Nothing was changed. Please go back to the app and start again from there.',
    },
    expired: {
      title: 'This link has expired',
      text: 'A link works for 30 minutes. What was connected stays connected. Please go back to the app and start again from there.',
    },
    foreign: {
      title: 'This link belongs to another browser',
      text: 'It works only in the browser in which somebody agreed first, with cookies allowed. Nothing was changed. Please continue in that browser, or go back to the app and start again from there.',
    },
    user_gone: {
      title: 'This account does not exist any more',
      text: 'The account that this link was made for was deleted. Nothing was connected. Please ask the operator of the app if you did not expect that.',
    },
    form: {
      title: 'Please try again',
      text: 'The request did not come from this page, or the page is out of date. Nothing was changed. Go back, reload the page and try again.',
    },
    limited: {
      title: 'Too many requests',
      text: 'Many requests came from your network. Nothing was changed. Please wait a minute and reload this page.',
    },
    unavailable: {
      title: 'This does not work at the moment',
      text: 'Something did not work on our side. Nothing was changed. Please reload this page in a few minutes.',
    },
  },
};
