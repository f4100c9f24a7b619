import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';

// Preloaded into a process of the product: heart rates of days get another value.
const type = dataTypeOf('dailies');
if (type === undefined) throw new Error('there is no such type');
const { normalise } = type;
Object.assign(type, {
  normalise: (...given: Parameters<typeof normalise>) => {
    const made = normalise(...given);
    if (!made.ok) return made;
    const samples = made.item.samples.map((block) => ({
      ...block,
      values: block.values.map((value) => value + 1),
    }));
    return { ...made, item: { ...made.item, samples } };
  },
});
