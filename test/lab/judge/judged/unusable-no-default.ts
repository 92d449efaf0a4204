export const claim = () => ({ kind: 'busy' });
