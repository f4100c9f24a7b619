import { z } from 'zod';
import type { Hint, Notifications } from '../../domain/provider/notifications.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import { CalendarDate, dateToMs, dayMs, earliestMs } from '../../domain/time/time.ts';
import type { types } from './types.ts';

type Type = keyof typeof types;

/** The categories that are subscribed to, and the types that each concerns. `profile` reports the end of the access. */
const categories: Readonly<Record<number, { readonly scope: string; readonly types: readonly Type[] }>> = {
  1: { scope: 'user.metrics', types: ['measures'] },
  2: { scope: 'user.metrics', types: ['measures'] },
  4: { scope: 'user.metrics', types: ['measures'] },
  16: { scope: 'user.activity', types: ['days', 'intraday', 'workouts'] },
  44: { scope: 'user.activity', types: ['sleep'] },
};
const profile = 46;

/** The categories to subscribe to with a scope. */
export function categoriesOf(scope: readonly string[]): number[] {
  const granted = Object.entries(categories).filter((entry) => scope.includes(entry[1].scope));
  return [...granted.map(([appli]) => Number(appli)), ...(scope.includes('user.info') ? [profile] : [])];
}

const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);

const Form = z.object({
  userid: z.string().regex(/^\d{1,20}$/),
  appli: wholeNumber,
  action: z.string().optional(),
  startdate: wholeNumber.optional().catch(undefined),
  enddate: wholeNumber.optional().catch(undefined),
  date: CalendarDate.optional().catch(undefined),
});

type Form = z.output<typeof Form>;

/** A span that a notification may demand: a longer one keeps its end. */
const longestMs = 3 * dayMs;

function read(body: Buffer): Hint[] | null {
  const fields = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
  const form = Form.safeParse(fields).data;
  if (form === undefined) return null;
  const { userid: account, appli, action } = form;
  if (appli === profile)
    return action === 'unlink' || action === 'delete' ? [{ kind: 'access', account }] : [];
  const { types = [] } = categories[appli] ?? {};
  return types.length === 0 ? [] : [{ kind: 'changed', account, types, span: spanOf(form) }];
}

function spanOf({ startdate, enddate, date }: Form): Span | null {
  if (startdate !== undefined && enddate !== undefined)
    return bounded({ startMs: startdate * 1000, endMs: enddate * 1000 + 1000 });
  // A local day lies within these bounds in every time zone.
  return date === undefined
    ? null
    : { startMs: dateToMs(date) - dayMs / 2, endMs: dateToMs(date) + dayMs * 1.5 };
}

function bounded({ startMs, endMs }: Span): Span | null {
  return endMs <= startMs || endMs < earliestMs
    ? null
    : { startMs: Math.max(startMs, endMs - longestMs), endMs };
}

/** Unsigned forms. Only the secret address shows that a notification is Withings' own, and it is a hint even then. */
export const notifications: Notifications = {
  kind: 'notify',
  example: { userid: '10000001', appli: '1', startdate: '1772433000', enddate: '1772433001' },
  bodyLimitBytes: 16_384,
  form: 'form',
  acceptedStatus: 200,
  answersProbe: true,
  authentication: { by: 'address' },
  isHandshake: null,
  authorization: null,
  read,
};
