import { createClient } from '../../client.ts';

/** Where the service is: beside the page, whatever a proxy has put in front of it. */
export const serviceUrl = new URL('.', location.href).href;

export const api = createClient(serviceUrl);
