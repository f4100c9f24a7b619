import type { SharedData } from '../../../domain/provider/provider.ts';
import { type Html, html } from './html.ts';

const circle = 'M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17z';

/** Lines of 24 by 24 units, by what they stand for. */
const lines = {
  activities: 'M3.5 10v4M6.8 7v10M17.2 7v10M20.5 10v4M6.8 12h10.4',
  daily_activity:
    'M8 3.5c1.8 0 2.8 2 2.8 4.4 0 1.7-.5 2.9-.5 4.1H6.4c0-1.4-1-2.6-1-4.6 0-2.3 1-3.9 2.6-3.9zM6.6 14.5h3.6c0 1.6-.7 2.6-1.8 2.6s-1.8-1-1.8-2.6zM16 7.5c-1.8 0-2.8 2-2.8 4.4 0 1.7.5 2.9.5 4.1h3.9c0-1.4 1-2.6 1-4.6 0-2.3-1-3.9-2.6-3.9zM17.4 18.5h-3.6c0 1.6.7 2.6 1.8 2.6s1.8-1 1.8-2.6z',
  heart_rate:
    'M12 20S3.5 15 3.5 9.2A4.6 4.6 0 0 1 12 6.8a4.6 4.6 0 0 1 8.5 2.4C20.5 15 12 20 12 20zM6.8 11.5h2.6l1.4-2.5 2.2 4.5 1.3-2h2.9',
  oxygen_saturation:
    'M9.2 17.5a5.7 5.7 0 1 0 0-11.4 5.7 5.7 0 0 0 0 11.4zM17.2 16.6a1.7 1.7 0 1 1 3 1.1l-3 2.8h3.3',
  sleep: 'M20 14.2A8 8 0 1 1 9.8 4 6.4 6.4 0 0 0 20 14.2z',
  stress: 'M13 3 5.5 13.5H12L11 21l7.5-10.5H12z',
  body: 'M5.5 4.5h13a2 2 0 0 1 2 2v11a2 2 0 0 1-2 2h-13a2 2 0 0 1-2-2v-11a2 2 0 0 1 2-2zM7.5 10a5.4 5.4 0 0 1 9 0l-2.3 2H9.8zM12 12l.9-2.6',
  back: 'M15 5l-7 7 7 7',
  blood_pressure: 'M12 3.5c3 3.8 6 6.9 6 10.4a6 6 0 0 1-12 0c0-3.5 3-6.6 6-10.4zM9 14.2a3 3 0 0 0 3 3',
  nutrition:
    'M12 8c-1-1-2.3-1.5-3.6-1.5C5.7 6.5 4 8.8 4 12c0 4 2.5 8 5 8 1.2 0 1.8-.6 3-.6s1.8.6 3 .6c2.5 0 5-4 5-8 0-3.2-1.7-5.5-4.4-5.5C14.3 6.5 13 7 12 8zM12 8c0-2 .8-3.6 2.8-4.5',
  mindfulness:
    'M12 19.5c-5 0-8.5-2.6-9-6.5 2-.3 3.8.1 5.2 1-.3-3 1.1-7 3.8-9.5 2.7 2.5 4.1 6.5 3.8 9.5 1.4-.9 3.2-1.3 5.2-1-.5 3.9-4 6.5-9 6.5zM8.2 14c1.6 1 2.9 2.9 3.8 5.5M15.8 14c-1.6 1-2.9 2.9-3.8 5.5',
  cycle:
    'M12 4a8 8 0 1 1-7.4 5M4.5 4.5V9H9M12 8.5c1.4 1.7 2.5 3 2.5 4.4a2.5 2.5 0 0 1-5 0c0-1.4 1.1-2.7 2.5-4.4z',
  routes:
    'M6 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM18 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 18h7.5a3 3 0 0 0 0-6h-7a3 3 0 0 1 0-6H16',
  profile: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  clock: `${circle}M12 7.5V12l3 2`,
  done: `${circle}M8.3 12.2l2.6 2.6 4.8-5.2`,
  exit: 'M10 4.5H5.5v15H10M14.5 8l4 4-4 4M18.5 12H10',
  forward: 'M9 5l7 7-7 7',
  lock: 'M7 10.5h10a1.5 1.5 0 0 1 1.5 1.5v6.5a1.5 1.5 0 0 1-1.5 1.5H7a1.5 1.5 0 0 1-1.5-1.5V12A1.5 1.5 0 0 1 7 10.5zM8.5 10.5V8a3.5 3.5 0 0 1 7 0v2.5',
  ring: circle,
  warning: 'M12 4.5 3 19.5h18zM12 10.5v4M12 17v.01',
} as const satisfies Readonly<Record<SharedData | string, string>>;

/** Icons that point along the line of reading. */
const pointing: ReadonlySet<string> = new Set(['back', 'exit', 'forward']);

/** An icon beside a text, which says the same. Its colour is that of the text. */
export function icon(name: keyof typeof lines): Html {
  const kind = pointing.has(name) ? 'icon pointing' : 'icon';
  return html`<svg class="${kind}" viewBox="0 0 24 24" aria-hidden="true"><path d="${lines[name]}"/></svg>`;
}
