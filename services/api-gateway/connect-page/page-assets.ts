import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../../../config.ts';
import { type ImageForm, imageFormOf, imageTypes } from '../../../domain/image-form.ts';
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
