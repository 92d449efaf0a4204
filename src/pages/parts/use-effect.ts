/**
 * Runs an effect once each time its dependencies change. Hono's `useLayoutEffect` does this. The
 * `useEffect` of Hono 4.13 has a fault: if a component is rendered twice within a frame, its effect
 * runs twice, and only the second run is cleaned up. The result was an event stream that nobody
 * read, and that used one of the browser's six connections.
 */
export { useLayoutEffect as useEffect } from 'hono/jsx/dom';
