import type { Child } from 'hono/jsx';
import type { PartProps } from './part.ts';
import { hrefOf, type Place } from './place.ts';

interface PlaceLinkProps extends Pick<PartProps, 'place' | 'go'> {
  /** The differences to the current place. */
  to: Partial<Place>;
  class?: string;
  isCurrent?: boolean;
  children?: Child;
}

/** Returns whether a click opens a link in another tab or window. */
export const opensElsewhere = ({ ctrlKey, metaKey, shiftKey, button }: MouseEvent): boolean =>
  ctrlKey || metaKey || shiftKey || button !== 0;

/**
 * Shows a real link, so people can also open the place in another tab. A plain click does not load
 * the page again.
 */
export function PlaceLink({ place, go, to, isCurrent, children, ...rest }: PlaceLinkProps) {
  const follow = (event: MouseEvent) => {
    if (opensElsewhere(event)) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={hrefOf({ ...place, ...to })}
      class={rest.class}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
