/**
 * An effect that runs once each time its dependencies change. Not the `useEffect` of Hono 4.13: what
 * is rendered twice within a frame has its effect run twice there, and only the second run is ever
 * cleaned up. Seen as a stream of events that nobody read, on one of a browser's six connections.
 */
export { useLayoutEffect as useEffect } from 'hono/jsx/dom';
