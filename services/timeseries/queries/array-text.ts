/** An array parameter of numbers or UUIDs. pg quotes every element of an array; joining takes a fifth of the time. */
export function arrayText(values: readonly (number | string)[]): string {
  return `{${values.join(',')}}`;
}
