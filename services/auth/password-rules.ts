import { validationFailed } from '../../domain/errors.ts';

/**
 * What a new password must not be, beside too short. The list of common passwords is a package; it is read when the
 * first password is set, because it takes 5 MB and most processes never need it.
 */

const shortestLocalPart = 3;
const longestRepeated = 8;

/** Refuses a password that is easy to guess. @throws VALIDATION_FAILED (422) naming the field */
export async function refuseWeakPassword(field: string, password: string, email: string): Promise<void> {
  const message = await passwordProblem(password, email);
  if (message !== null) throw validationFailed([{ field, message }]);
}

/** Why a password is refused for the account of an address; null where nothing speaks against it. */
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

// As two texts are compared that look alike: in one case, wide letters as narrow ones.
const folded = (text: string) => text.normalize('NFKC').toLowerCase().trim();

// A local part of one or two letters is in most texts.
function containsAddress(text: string, email: string): boolean {
  const [local = ''] = email.split('@');
  return text.includes(email) || (local.length >= shortestLocalPart && text.includes(local));
}

// Of at least two whole times, so that a phrase may begin and end alike.
function isRepetition(text: string): boolean {
  const letters = Array.from(text);
  const longest = Math.min(longestRepeated, Math.floor(letters.length / 2));
  const repeats = (period: number) =>
    letters.every((letter, index) => index < period || letter === letters[index - period]);
  return Array.from({ length: longest }, (_, index) => index + 1).some(repeats);
}

// After 9 comes 0, as on a keyboard.
function isSequence(text: string): boolean {
  const follows = (one: string, other: string) =>
    one.charCodeAt(0) + 1 === other.charCodeAt(0) || (one === '9' && other === '0');
  const letters = Array.from(text);
  const pairs = letters.slice(1).map((letter, index) => [letters[index] ?? '', letter] as const);
  return (
    pairs.every(([one, other]) => follows(one, other)) || pairs.every(([one, other]) => follows(other, one))
  );
}

async function isCommon(text: string): Promise<boolean> {
  const list = await commonPasswords();
  const start = text.replace(/[^\p{L}]+$/u, '');
  const word = start.replace(/^[^\p{L}]+/u, '');
  return [text, word, withLetters(word), withLetters(start)].some((one) => list.has(one));
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
    ({ dictionary }) => new Set(dictionary['passwords-common'].map((one) => one.toLowerCase())),
  );
  return list;
}
