/** The forms of raster images that pages show. An SVG file is none of them: it may contain scripts. */
export const imageTypes = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp' } as const;
export type ImageForm = keyof typeof imageTypes;

/** The form of an image by its first bytes; null if it is none of these. */
export function imageFormOf(file: Buffer): ImageForm | null {
  if (startsWith(file, '89504e470d0a1a0a')) return 'png';
  if (startsWith(file, 'ffd8ff')) return 'jpg';
  return startsWith(file, '52494646') && file.toString('latin1', 8, 12) === 'WEBP' ? 'webp' : null;
}

function startsWith(file: Buffer, hex: string): boolean {
  return file.toString('hex', 0, hex.length / 2) === hex;
}
