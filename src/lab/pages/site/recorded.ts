/** Whether the page shows recordings, and has no server. */
export const isRecorded = () => document.documentElement.hasAttribute('data-recorded');
