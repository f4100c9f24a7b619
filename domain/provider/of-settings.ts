/**
 * A function of all settings of which a provider reads its own. As the type of a method it accepts functions that name
 * those only.
 */
export type OfSettings<A extends readonly unknown[], T> = { of(settings: object, ...rest: A): T }['of'];
