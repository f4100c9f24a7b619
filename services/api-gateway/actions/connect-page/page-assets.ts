import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../../../../config.ts';
import type { ConnectChoice } from '../../../../contracts/connect/sessions.ts';
import { type ImageForm, imageFormOf, imageTypes } from '../../../../domain/image-form.ts';
import { monogramOf } from '../../../../domain/provider/monogram.ts';
import type { SharedData } from '../../../../domain/provider/provider.ts';
import { type Html, html, nothing } from '../../rules/html.ts';

/** A file of the connect page. */
export interface PageAsset {
  readonly type: string;
  readonly content: Buffer;
  /** Its name in an address. It changes with the content, so that browsers may keep it. */
  readonly name: string;
}

/** The files of the connect page. */
export interface PageAssets {
  /** The style sheet without colours. */
  readonly sheet: string;
  readonly style: PageAsset;
  readonly logo: PageAsset | null;
}

const largestLogoBytes = 256 * 1024;

/** Reads the style sheet and the operator's logo. @throws ConfigError if the logo cannot be used */
export function readAssets({ CONNECT_COLOR, CONNECT_LOGO }: Config): PageAssets {
  const sheet = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8');
  return {
    sheet,
    style: styleOf('page', sheet, CONNECT_COLOR),
    logo: CONNECT_LOGO === undefined ? null : readLogo(CONNECT_LOGO),
  };
}

/** The style sheet with the colour of a project, which its name contains. */
export function colouredStyle({ sheet }: PageAssets, color: string): PageAsset {
  return styleOf(`page-${color.slice(1)}`, sheet, color);
}

/** The style sheet of a name that `colouredStyle` gave; null for any other name. */
export function styleNamed(assets: PageAssets, name: string): PageAsset | null {
  const [, color] = /^page-([0-9a-f]{6})-[0-9a-f]{16}\.css$/.exec(name) ?? [];
  const style = color === undefined ? null : colouredStyle(assets, `#${color}`);
  return style?.name === name ? style : null;
}

/** The logo of a project. Its type is that of its bytes. Null: they are no image. */
export function logoAsset(name: string, content: Buffer): PageAsset | null {
  const form = imageFormOf(content);
  return form === null ? null : { type: imageTypes[form], content, name };
}

function styleOf(title: string, sheet: string, color: string): PageAsset {
  return asset(title, 'css', 'text/css; charset=utf-8', Buffer.from(`${colours(color)}\n${sheet}`));
}

function colours(color: string): string {
  const lines = (['light', 'dark'] as const).map((theme) => {
    const { fill, text } = accentOn(color, backgrounds[theme]);
    return `--fill-${theme}: ${fill}; --on-fill-${theme}: ${text};`;
  });
  return `:root { ${lines.join(' ')} }`;
}

function formOf(file: Buffer): ImageForm | 'svg' | null {
  return imageFormOf(file) ?? (/^\s*(<\?xml|<!--|<svg)/.test(file.toString('utf8', 0, 200)) ? 'svg' : null);
}

function readLogo(path: string): PageAsset {
  const content = read(path);
  const form = formOf(content);
  if (form === null || content.length > largestLogoBytes)
    throw new ConfigError(['CONNECT_LOGO: must be a PNG, JPEG, WebP or SVG file of at most 256 KiB']);
  return asset('logo', form, form === 'svg' ? 'image/svg+xml' : imageTypes[form], content);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ConfigError(['CONNECT_LOGO: the file cannot be read']);
  }
}

function asset(title: string, ending: string, type: string, content: Buffer): PageAsset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { type, content, name: `${title}-${hash}.${ending}` };
}

type Rgb = readonly [red: number, green: number, blue: number];

/** A colour of the operator, adapted to a background so that both texts on it and texts in it can be read. */
interface Accent {
  readonly fill: string;
  /** White in the light theme, black in the dark one: it has at least the contrast that the background has. */
  readonly text: string;
}

/** WCAG 2.2 level AA for text. */
const leastContrast = 4.5;
const steps = 50;

/** The backgrounds of the card in both themes, `--face` of the style sheet. */
export const backgrounds = { light: '#ffffff', dark: '#181c21' } as const;

/** A colour of at least 4.5:1 against a background: the given one, or its nearest shade that is darker or lighter. */
export function accentOn(color: string, background: string): Accent {
  const isLight = luminance(rgbOf(background)) > 0.5;
  const target: Rgb = isLight ? [0, 0, 0] : [255, 255, 255];
  for (let step = 0; step <= steps; step += 1) {
    const fill = hexOf(mixed(rgbOf(color), target, step / steps));
    if (contrast(fill, background) >= leastContrast) return { fill, text: isLight ? '#ffffff' : '#000000' };
  }
  throw new Error('no shade of a colour can be read'); // black and white always can
}

/** The contrast ratio of two colours by WCAG 2.2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(rgbOf(one)), luminance(rgbOf(other))].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

function hexOf(rgb: Rgb): string {
  return `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

function mixed(from: Rgb, to: Rgb, share: number): Rgb {
  const mix = (index: 0 | 1 | 2) => from[index] + (to[index] - from[index]) * share;
  return [mix(0), mix(1), mix(2)];
}

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
  // A drop, and a curve that rises and falls.
  glucose:
    'M8 3.5c2.3 3 4.6 5.3 4.6 8a4.6 4.6 0 0 1-9.2 0c0-2.7 2.3-5 4.6-8zM3.5 20.5c3.2 0 4.4-2.6 6.6-2.6s2.6 1.6 4.4 1.6 2.6-5 6-5',
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
