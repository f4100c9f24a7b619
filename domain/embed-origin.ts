import { z } from 'zod';

/** How many origins an embedded page may have. All of them are in its token, which has to fit into a header. */
export const mostEmbedOrigins = 10;
const longestOrigin = 200;

/**
 * The origin of a page that may show an embedded page, as a Content-Security-Policy lists it. The form excludes what would
 * extend the policy: wildcards, spaces, semicolons, commas, paths and credentials. Names with other letters are in Punycode.
 */
export const EmbedOrigin = z
  .string()
  .max(longestOrigin)
  .refine(isOrigin, 'must be an origin such as https://app.example, without a path and without wildcards');

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const form = new RegExp(
  `^(?:https://${label}(?:\\.${label})*|http://(?:localhost|127\\.0\\.0\\.1))(?::[1-9][0-9]{0,4})?$`,
);

// The form alone would accept what a browser writes otherwise, such as the port 443, and compares with nothing.
function isOrigin(text: string): boolean {
  return form.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
