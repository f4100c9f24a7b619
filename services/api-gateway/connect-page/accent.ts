type Rgb = readonly [red: number, green: number, blue: number];

/** A colour of the operator, adapted to a background so that both texts on it and texts in it can be read. */
export interface Accent {
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
