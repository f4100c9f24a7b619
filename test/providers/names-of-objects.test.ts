import t from 'tap';
import { isItem } from '../../domain/recipe/read-fields.ts';
import { notificationsOf, notifyingNames } from '../../providers/all.ts';
import { fieldCases } from './fields/cases.ts';

/** Names that every object has from its prototype, each beside one that none has. */
const names = [
  ['toString', 'toStrinh'],
  ['constructor', 'bonstructor'],
  ['__proto__', '__protp__'],
] as const;

/** The value with each of its texts replaced in turn. */
function replacedTexts(value: unknown, text: string): unknown[] {
  if (typeof value === 'string') return [text];
  if (Array.isArray(value))
    return value.flatMap((one, index) => replacedTexts(one, text).map((made) => value.with(index, made)));
  if (!isItem(value)) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    replacedTexts(one, text).map((made) => ({ ...value, [name]: made })),
  );
}

/** Keys and ids of devices are hashes of what a record says. */
const hash = /^[\w-]{22,}$/;
/** Letters and digits alone: names are shown with blanks and capital letters of their own. */
const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '');

/** The words of what a reader makes of a value with a text, which has another name. They are sorted: rows stand in the order of hashes. */
function outcomeOf(read: () => unknown, text: string): string {
  const made = () => {
    try {
      return JSON.stringify(read(), (_, one) => (typeof one === 'function' ? 'a function' : one));
    } catch (error) {
      return `threw ${error}`;
    }
  };
  // A date is the begin of a text.
  const own = bare(text).slice(0, 8);
  const words = made().split(/[",:{}[\]\\]+/);
  return words
    .map((word) => (hash.test(word) ? 'hash' : bare(word).replaceAll(own, '?')))
    .sort()
    .join(' ');
}

/** The texts of values at which a name of every object is read otherwise than an unknown one. */
const differences = (values: readonly unknown[], read: (value: unknown) => unknown): string[] =>
  values.flatMap((value) =>
    names.flatMap(([own, unknown]) => {
      const others = replacedTexts(value, unknown);
      return replacedTexts(value, own).flatMap((one, index) => {
        const [made, wanted] = [
          outcomeOf(() => read(one), own),
          outcomeOf(() => read(others[index]), unknown),
        ];
        return made === wanted ? [] : [`${own} in ${JSON.stringify(one).slice(0, 300)}`];
      });
    }),
  );

t.test('a notification with the name of a member of every object is one of an unknown event', async (t) => {
  for (const provider of notifyingNames) {
    const { example, read } = notificationsOf(provider);
    const readHints = (value: unknown) => read(Buffer.from(JSON.stringify(value)));
    t.same(differences([example], readHints), [], provider);
  }
});

for (const [provider, cases] of Object.entries(fieldCases))
  t.test(
    `a text of ${provider} that is the name of a member of every object is an unknown one`,
    async (t) => {
      for (const [type, { items, read }] of Object.entries(cases))
        t.same(differences(items, (item) => [...read(item)]).slice(0, 5), [], type);
    },
  );
