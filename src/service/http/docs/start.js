/* global SwaggerUIBundle */
// This script runs in the browser, on the page /docs.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

SwaggerUIBundle({
  url: './openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // By default Swagger UI would send the document to a validator on the internet.
  validatorUrl: null,
});
