/**
 * Runs an effect once each time its dependencies change. The `useEffect` of Hono 4.13 has a fault:
 * if a component is rendered twice within a frame, its effect runs twice, and only the second run
 * is cleaned up. We saw the result as a stream of events that nobody read, on one of a browser's
 * six connections.
 */
export { useLayoutEffect as useEffect } from 'hono/jsx/dom';
