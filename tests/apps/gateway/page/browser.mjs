// The page in a browser: each visit has its own storage, and ends with an error if the browser complained.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import puppeteer from 'puppeteer-core';

const kTimeout = 20_000;
const kPictures = 'screenshots';
const kTypedLength = 60;

export async function startBrowser(program) {
  mkdirSync(kPictures, { recursive: true });
  return puppeteer.launch({
    executablePath: program,
    // Chromium's sandbox gives up rights that it must have, and so it refuses to start as root, as whom
    // tests run in containers. It opens nothing here but the page under test.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
           '--disable-dev-shm-usage', '--force-color-profile=srgb', '--hide-scrollbars'],
  });
}

// Opens the page in a window of its own, hands it to `use`, and closes it.
//   allowed   a pattern of complaints that the visit provokes on purpose
export async function visit(browser, url, options, use) {
  const { width = 1200, height = 860, dark = false, allowed = null } = options;
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const visitor = new Visitor(page, allowed);
  try {
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: 'reduce' }]);
    await visitor.open(url);
    await use(visitor);
    assert.deepEqual(visitor.complaints, []);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  } catch (error) {
    await page.screenshot({ path: `${kPictures}/failure.png` }).catch(() => {});
    throw new Error(`the browser said: ${visitor.complaints.join('; ')}`, { cause: error });
  } finally {
    await context.close();
  }
}

class Visitor {
  constructor(page, allowed) {
    this.page = page;
    this.complaints = [];
    const complain = (text) => {
      if (allowed === null || !allowed.test(text)) this.complaints.push(text);
    };
    page.setDefaultTimeout(kTimeout);
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) {
        complain(`${message.text()} ${message.location().url ?? ''}`);
      }
    });
    page.on('pageerror', (error) => complain(String(error)));
    page.on('dialog', (dialog) => {
      complain(`a dialog: ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== this.origin) complain(`a request to ${request.url()}`);
    });
    page.evaluateOnNewDocument(() => {
      window.violations = [];
      document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        window.violations.push(`${violatedDirective} ${blockedURI}`);
      });
    });
  }

  async open(url) {
    this.origin = new URL(url).origin;
    const answer = await this.page.goto(url);
    assert.equal(answer.status(), 200);
    return answer;
  }

  // Waits until the function is true within the page.
  until(condition, ...args) {
    return this.page.waitForFunction(condition, { polling: 'mutation' }, ...args);
  }

  untilText(selector, text) {
    return this.until((where, wanted) => [...document.querySelectorAll(where)]
      .some((node) => node.textContent.includes(wanted)), selector, text);
  }

  untilIdle() {
    return this.until(() => document.querySelector('#stop').hidden &&
      document.querySelector('#transcript').getAttribute('aria-busy') === 'false');
  }

  // A long text comes at once, as from the clipboard: each key lays the page out anew.
  async type(text) {
    await this.page.focus('#prompt');
    if (text.length > kTypedLength) return this.page.keyboard.sendCharacter(text);
    return this.page.keyboard.type(text);
  }

  // Sends a message with the keyboard.
  async send(text) {
    await this.type(text);
    await this.page.keyboard.press('Enter');
  }

  async ask(text) {
    await this.send(text);
    await this.untilIdle();
  }

  // Clicks the button with this text that is seen.
  async click(text, within = 'body') {
    const button = await this.page.waitForSelector(`${within} ::-p-xpath(.//button[normalize-space()="${text}"])`,
                                                   { visible: true });
    await button.click();
  }

  text(selector) {
    return this.page.$$eval(selector, (nodes) => nodes.map((node) => node.innerText).join('\n'));
  }

  count(selector) {
    return this.page.$$eval(selector, (nodes) => nodes.length);
  }

  // Of what the page shows now: the frame under way may be an older one.
  async picture(name) {
    await this.page.evaluate(() => new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
    }));
    return this.page.screenshot({ path: `${kPictures}/${name}.png` });
  }
}
