import { z } from 'zod';

/**
 * What the actions have in common by which an operator's command moves the users, connections and credentials of another installation
 * in. None has a route. A call has at most 500 entries and is one transaction, and the answer has one outcome for each entry, in order.
 * A repeated call answers `same` and changes nothing. Moved data never overwrites what was changed here since, and never brings back
 * what was deleted here.
 */

/** How many entries a call may have. */
export const mostMoved = 500;

/** What the calls have in common. A statement has 30 s, and a call makes several. */
export const moving = { idempotent: true, timeoutMs: 60_000 } as const;

/** The outcome of each entry; `reasons` are those for which the service refuses one. */
export function movedOutcomes<const R extends readonly [string, ...string[]]>(reasons: R) {
  const Outcome = z.discriminatedUnion('outcome', [
    z.object({ outcome: z.literal('saved') }),
    z.object({ outcome: z.literal('same') }),
    z.object({ outcome: z.literal('refused'), reason: z.enum(reasons) }),
  ]);
  return z.object({ outcomes: z.array(Outcome) });
}

/** The entry was written. */
export const saved = { outcome: 'saved' } as const;

/** Nothing was changed: what the entry names is here. */
export const same = { outcome: 'same' } as const;

/** The entry was not written, for a reason of its action. */
export const refused = <const R extends string>(reason: R) => ({ outcome: 'refused', reason }) as const;
