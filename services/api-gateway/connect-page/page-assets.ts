import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../../../config.ts';
import { accentOn, backgrounds } from './accent.ts';

/** A file of the connect page. */
export interface PageAsset {
  readonly type: string;
  readonly content: Buffer;
  /** Its name in an address. It changes with the content, so that browsers may keep it. */
  readonly name: string;
}

/** The files of the connect page. */
export interface PageAssets {
  readonly style: PageAsset;
  readonly logo: PageAsset | null;
}

const largestLogoBytes = 256 * 1024;

/** Reads the style sheet and the operator's logo. @throws ConfigError if the logo cannot be used */
export function readAssets({ CONNECT_COLOR, CONNECT_LOGO }: Config): PageAssets {
  const sheet = readFileSync(join(import.meta.dirname, 'page.css'), 'utf8');
  const style = Buffer.from(`${colours(CONNECT_COLOR)}\n${sheet}`);
  return {
    style: asset('page', 'css', 'text/css; charset=utf-8', style),
    logo: CONNECT_LOGO === undefined ? null : readLogo(CONNECT_LOGO),
  };
}

function colours(color: string): string {
  const lines = (['light', 'dark'] as const).map((theme) => {
    const { fill, text } = accentOn(color, backgrounds[theme]);
    return `--fill-${theme}: ${fill}; --on-fill-${theme}: ${text};`;
  });
  return `:root { ${lines.join(' ')} }`;
}

const forms = [
  { ending: 'png', type: 'image/png', is: (file: Buffer) => startsWith(file, '89504e470d0a1a0a') },
  { ending: 'jpg', type: 'image/jpeg', is: (file: Buffer) => startsWith(file, 'ffd8ff') },
  {
    ending: 'webp',
    type: 'image/webp',
    is: (file: Buffer) => startsWith(file, '52494646') && file.toString('latin1', 8, 12) === 'WEBP',
  },
  {
    ending: 'svg',
    type: 'image/svg+xml',
    is: (file: Buffer) => /^\s*(<\?xml|<!--|<svg)/.test(file.toString('utf8', 0, 200)),
  },
];

function readLogo(path: string): PageAsset {
  const content = read(path);
  const form = forms.find(({ is }) => is(content));
  if (form === undefined || content.length > largestLogoBytes)
    throw new ConfigError(['CONNECT_LOGO: must be a PNG, JPEG, WebP or SVG file of at most 256 KiB']);
  return asset('logo', form.ending, form.type, content);
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ConfigError(['CONNECT_LOGO: the file cannot be read']);
  }
}

function startsWith(file: Buffer, hex: string): boolean {
  return file.toString('hex', 0, hex.length / 2) === hex;
}

function asset(title: string, ending: string, type: string, content: Buffer): PageAsset {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { type, content, name: `${title}-${hash}.${ending}` };
}
