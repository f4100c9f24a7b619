/** The section that is shown: the name of one, or one of these. */
export const INTRODUCTION = '';
export const EVENTS = 'Webhook events';
export const SCHEMAS = 'Schemas';

/** A plugin of Swagger UI: shows one section, which is kept where its text filter would be. */
export function layout({ React }) {
  const create = React.createElement;
  function SectionLayout({ getComponent, layoutSelectors }) {
    const section = layoutSelectors.currentFilter() || INTRODUCTION;
    if (section === INTRODUCTION) return null; // the page has it
    const shown = { [EVENTS]: 'Webhooks', [SCHEMAS]: 'Models' };
    return create(
      'div',
      { className: 'swagger-ui' },
      create(getComponent('SvgAssets')),
      create(getComponent('errors', true)),
      create(getComponent(shown[section] ?? 'operations', true)),
    );
  }
  // An answer appears below a form that can be longer than the window.
  const liveResponse = (Original) => (props) => {
    const place = React.useRef(null);
    React.useEffect(() => {
      place.current.scrollIntoView({ block: 'nearest' });
    }, [props.response]);
    return create('div', { ref: place }, create(Original, props));
  };
  const opsFilter = (sections, name) => sections.filter((_, section) => section === name);
  return { components: { SectionLayout }, fn: { opsFilter }, wrapComponents: { liveResponse } };
}
