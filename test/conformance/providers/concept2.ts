import { listedDescriptor } from './listed.ts';

/** A maker of rowing machines: results with intervals and strokes. A deletion names the result and no account. */
export const concept2 = listedDescriptor({
  provider: 'concept2',
  rotates: true,
  notifiesDeletions: true,
  notified: { type: 'activities', id: '339' },
  partialScopes: { doesNotApply: 'the user agrees to all requested scopes or to none' },
  withoutRevocation: { doesNotApply: 'only the user can end our access, at the provider' },
});
