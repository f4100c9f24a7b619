import { signal } from '@preact/signals';
import type { KeyScope } from '../../domain/access.ts';

/** The token of an embedded page, which its address contains; null in the console. */
export const embedToken =
  /^\/console\/embed\/([\w.-]+)$/.exec(globalThis.location?.pathname ?? '')?.[1] ?? null;

/** What such a token is limited to. */
export const embedScopes: readonly KeyScope[] = ['read'];

/** Whether the server has refused the token: it has expired, or its user is deleted. */
export const isExpired = signal(false);

/**
 * The user whose data a token reads, '' if it cannot be read, and the zone that is set for the user. The server alone decides
 * whether it is valid.
 */
export function userOfToken(token: string): { readonly id: string; readonly zone: string | null } {
  try {
    const claims = token.split('.')[1] ?? '';
    const { sub, time_zone }: { sub?: unknown; time_zone?: unknown } = JSON.parse(
      atob(claims.replaceAll('-', '+').replaceAll('_', '/')),
    );
    return { id: typeof sub === 'string' ? sub : '', zone: typeof time_zone === 'string' ? time_zone : null };
  } catch {
    return { id: '', zone: null };
  }
}

/** The theme of `?theme=light|dark|auto`. Default: `auto`, that of the browser. */
export function themeOf(query: URLSearchParams): 'light' | 'dark' | 'auto' {
  const named = query.get('theme');
  return named === 'light' || named === 'dark' ? named : 'auto';
}

/** What the page says in a `meta` element, as JSON; null if it has none. */
export function metaOf(name: string): string | null {
  return globalThis.document?.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? null;
}
