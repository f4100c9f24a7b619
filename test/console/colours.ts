/** Three numbers: of red, green and blue, or of OKLab. */
export type Triple = readonly [number, number, number];

const at = (matrix: readonly Triple[], vector: Triple): Triple => {
  const row = (index: number) => {
    const [a = 0, b = 0, c = 0] = matrix[index] ?? [];
    return a * vector[0] + b * vector[1] + c * vector[2];
  };
  return [row(0), row(1), row(2)];
};
const each = ([a, b, c]: Triple, of: (one: number) => number): Triple => [of(a), of(b), of(c)];

/** The linear parts, from 0 to 1, of `#rrggbb`. @throws Error for another notation */
function linearOf(hex: string): Triple {
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex);
  if (found === null) throw new Error(`${hex} is no colour`);
  const [, red = '', green = '', blue = ''] = found;
  return each([Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)], (part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}

const luminance = (hex: string) => {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

/** The contrast of two colours as WCAG 2 defines it, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const toCones: readonly Triple[] = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const toLab: readonly Triple[] = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

/** OKLab of linear parts (Björn Ottosson, 2020). */
const labOf = (linear: Triple): Triple => at(toLab, each(at(toCones, linear), Math.cbrt));

/** How colours look to people who see fewer of them: Machado, Oliveira and Fernandes, 2009, at full severity. */
export const visions: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** The distance of two colours in OKLab, as they look by a matrix of `visions`. */
export function distance(one: string, other: string, vision: readonly Triple[]): number {
  const seen = (hex: string) =>
    labOf(each(at(vision, linearOf(hex)), (part) => Math.min(1, Math.max(0, part))));
  const [a, b] = [seen(one), seen(other)];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}
