/** Why an incident of a provider began: its connections turn late, or its API fails. */
export const incidentReasons = ['late', 'failing'] as const;
export type IncidentReason = (typeof incidentReasons)[number];

/** Connections of which an incident is seen at least. */
const leastConnections = 20;
const rarity = 0.001;
/** Fewer are no incident: the test is made every minute for every provider, and a few coincide by chance. */
const leastTurned = 5;
/** The share of connections that turn late in an hour while nothing else is known. */
const presumed = { turned: 1, connections: 100 } as const;

/** Connections that turned late in an hour, of those that there were. */
export interface Turned {
  readonly turned: number;
  readonly connections: number;
}

/** The usual share: that of the hours before, with a presumption that counts as one hour of 100 connections. */
export function usualShare(hours: readonly Turned[]): number {
  const all = [...hours, presumed];
  const sum = (of: (one: Turned) => number) => all.reduce((so, one) => so + of(one), 0);
  return sum((one) => one.turned) / sum((one) => one.connections);
}

/** Whether so many connections turned late in the last hour that chance explains it in fewer than one of 1,000 hours. */
export function isIncident({ turned, connections }: Turned, usual: number): boolean {
  return (
    connections >= leastConnections && turned >= leastTurned && atLeast(turned, connections, usual) < rarity
  );
}

/** The probability of at least `hits` of `tries` where each has the probability `p` (binomial distribution). */
export function atLeast(hits: number, tries: number, p: number): number {
  if (hits <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  // From the likeliest counted term on, each follows from the one before it.
  let term = Math.exp(logChoose(tries, hits) + hits * Math.log(p) + (tries - hits) * Math.log1p(-p));
  let sum = term;
  for (let k = hits; k < tries && term > sum * 1e-17; k++) {
    term *= ((tries - k) / (k + 1)) * (p / (1 - p));
    sum += term;
  }
  return Math.min(1, sum);
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += Math.log((n - i + 1) / i);
  return sum;
}

/** The answers of a provider's API in one minute. */
export interface MinuteAnswers {
  readonly minutes_ago: number;
  readonly requests: number;
  readonly failed: number;
}

const watchedMinutes = 10;
const leastRequests = 4;

/**
 * Whether more than half of the requests of the last ten minutes failed, in their first half and in their second. False: it answers
 * in the last five minutes. Null: nothing was sent in one of the halves, too little in both, or it fails since the last five minutes.
 * An incident neither begins nor ends then.
 */
export function isFailing(minutes: readonly MinuteAnswers[]): boolean | null {
  const within = (from: number, to: number) => {
    const some = minutes.filter(({ minutes_ago }) => minutes_ago >= from && minutes_ago < to);
    return {
      requests: some.reduce((sum, { requests }) => sum + requests, 0),
      failed: some.reduce((sum, { failed }) => sum + failed, 0),
    };
  };
  const [late, early] = [within(0, watchedMinutes / 2), within(watchedMinutes / 2, watchedMinutes + 1)];
  const fails = ({ requests, failed }: typeof late) => requests > 0 && failed * 2 > requests;
  if (late.requests > 0 && !fails(late)) return false;
  return fails(late) && fails(early) && late.requests + early.requests >= leastRequests ? true : null;
}
