import type { ConnectChoice } from '../../../contracts/connect/sessions.ts';
import { monogramOf } from '../../../domain/provider/monogram.ts';
import { type Html, html, nothing } from './html.ts';

// The colour is an attribute, because the policy of the page refuses styles in it.
/** The first letters of a provider on its colour. */
export function providerMonogram({ name, colour }: ConnectChoice): Html {
  if (colour === undefined) return nothing;
  return html`<svg class="monogram" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="10" fill="${colour}"/><text x="20" y="20">${monogramOf(name)}</text></svg>`;
}

/** The first letters of an operator without a logo, on the colour of the page. */
export function appMonogram(app: string): Html {
  return html`<svg class="monogram own" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="10"/><text x="20" y="20">${monogramOf(app)}</text></svg>`;
}
