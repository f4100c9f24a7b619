import { type NotifyingName, notificationsOf, notifyingNames } from '../../../providers/all.ts';

/*
 * What the routes of a provider whose notifications name what changed answer to the requests of the documentation, which have
 * no signature.
 */

const authentication = (name: NotifyingName) => notificationsOf(name).authentication.by;

/** The actions that receive notifications. */
export const receivers: readonly string[] = notifyingNames.map((name) => `pull-ingest.receive_${name}`);

/** The statuses of the actions that refuse the example. */
export const refusals: Readonly<Record<string, number>> = Object.fromEntries(
  notifyingNames.flatMap((name) => [
    ...(authentication(name) === 'address' ? [] : [[`pull-ingest.receive_${name}`, 401] as const]),
    ...(notificationsOf(name).challenge === undefined ? [] : [[`pull-ingest.probe_${name}`, 403] as const]),
  ]),
);

/** Who may call the routes, and what an empty request is answered. */
export const pulledRows = notifyingNames.flatMap((name) => {
  const { kind, answersProbe, challenge } = notificationsOf(name);
  const path = `/webhooks/${name}/${kind}`;
  const isOpen = authentication(name) === 'address';
  return [
    ['POST', path, isOpen ? 'anybody' : 'client', isOpen ? 200 : 401] as const,
    ...(challenge === undefined && !answersProbe
      ? []
      : [['GET', path, 'anybody', challenge === undefined ? 200 : 422] as const]),
  ];
});

/** The fields of a challenge by the action that answers it. */
export const challenges: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  notifyingNames.flatMap((name) => {
    const { challenge } = notificationsOf(name);
    return challenge === undefined
      ? []
      : [[`pull-ingest.probe_${name}`, [challenge.token, challenge.challenge]] as const];
  }),
);
