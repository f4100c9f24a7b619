import type { Config } from '../../../config.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';

/**
 * The rules for new passwords, except for the length. The list of common passwords is a package. It is loaded when the
 * first password is set, because it takes 5 MB and most processes never use it.
 */

const shortestLocalPart = 3;
const longestRepeated = 8;

/** Refuses a password that is easy to guess. @throws VALIDATION_FAILED (422) naming the field */
export async function refuseWeakPassword(field: string, password: string, email: string): Promise<void> {
  const message = await passwordProblem(password, email);
  if (message !== null) throw validationFailed([{ field, message }]);
}

/** Why a password is refused for the account of an e-mail address; null if it is accepted. */
export async function passwordProblem(password: string, email: string): Promise<string | null> {
  const text = folded(password);
  if (containsAddress(text, folded(email)))
    return 'must not contain the e-mail address, nor the part of it before the @';
  if (isRepetition(text)) return 'must not be one short text that is repeated';
  if (isSequence(text)) return 'must not be letters or digits in their order';
  if (await isCommon(text))
    return 'must not be a common password, nor a common word with digits or signs around it';
  return null;
}

// Normalises a text for comparison: lower case, full-width letters as half-width ones.
const folded = (text: string) => text.normalize('NFKC').toLowerCase().trim();

// Local parts of one or two letters are not checked, because most texts contain them.
function containsAddress(text: string, email: string): boolean {
  const [local = ''] = email.split('@');
  return text.includes(email) || (local.length >= shortestLocalPart && text.includes(local));
}

// The text must contain its period at least twice, so that a phrase may begin and end with the same letters.
function isRepetition(text: string): boolean {
  const letters = Array.from(text);
  const longest = Math.min(longestRepeated, Math.floor(letters.length / 2));
  const repeats = (period: number) =>
    letters.every((letter, index) => index < period || letter === letters[index - period]);
  return Array.from({ length: longest }, (_, index) => index + 1).some(repeats);
}

// 0 follows 9, as on a keyboard.
function isSequence(text: string): boolean {
  const follows = (a: string, b: string) =>
    a.charCodeAt(0) + 1 === b.charCodeAt(0) || (a === '9' && b === '0');
  const letters = Array.from(text);
  const pairs = letters.slice(1).map((letter, index) => [letters[index] ?? '', letter] as const);
  return pairs.every(([a, b]) => follows(a, b)) || pairs.every(([a, b]) => follows(b, a));
}

async function isCommon(text: string): Promise<boolean> {
  const list = await commonPasswords();
  const start = text.replace(/[^\p{L}]+$/u, '');
  const word = start.replace(/^[^\p{L}]+/u, '');
  return [text, word, withLetters(word), withLetters(start)].some((candidate) => list.has(candidate));
}

// Digits and signs that stand for letters, as in p@ssw0rd.
const letters: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
};
const withLetters = (text: string) => text.replace(/[@4310$5]/g, (sign) => letters[sign] ?? sign);

let list: Promise<ReadonlySet<string>> | undefined;

function commonPasswords(): Promise<ReadonlySet<string>> {
  list ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((password) => password.toLowerCase())),
  );
  return list;
}

/** The refusal of a wrong password, client secret or user: it does not say which of them is wrong. */
export function wrongCredentials(): ServiceError {
  return new ServiceError('UNAUTHENTICATED', 'The credentials are not valid.');
}

/** @throws PASSWORDS_OFF (403) where the installation takes no passwords */
export function refuseWithoutPasswords({ PASSWORDS }: Pick<Config, 'PASSWORDS'>): void {
  if (PASSWORDS === 'off') throw new ServiceError('PASSWORDS_OFF');
}
