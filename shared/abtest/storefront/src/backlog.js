// Events that could not be delivered, kept in the browser's storage for the next try, page or tab to send.
// Each batch lies under a name of its own and is never changed: whoever has sent it removes it, so that two tabs can
// write at any time without harm. That two do not send the same one is what the lock is for; should it fail, the
// server knows the events again by their ids.

import { now, random, startTimer } from './natives.js';

/** Of everything of ours, so that it can all be taken away when consent is. */
const OURS = 'svc_';
const BATCH = /^svc_q\.(\w+)\.(\d+)\.\w+$/;
const LOCK = 'svc_lock';
const MAX_EVENTS = 500;
/** Characters: the page's own storage is the page's. */
const MAX_CHARS = 400_000;
const MAX_AGE_MS = 7 * 24 * 3600 * 1000;
const LEASE_MS = 20_000;
/** Long enough for another tab's lease to be seen here. */
const SETTLE_MS = 50;

/** Reading it throws where the browser keeps nothing for this page. */
const deviceStorage = () => window.localStorage;

const code = () => random().toString(36).slice(2);

/** @param {() => Storage} [open] */
export const createBacklog = (open = deviceStorage) => {
  /**
   * @param {string} prefix
   * @param {(storage: Storage, name: string) => void} visit
   */
  const each = (prefix, visit) => {
    const storage = open();
    for (let i = storage.length; i--; ) {
      const name = storage.key(i) || '';
      if (name.slice(0, prefix.length) === prefix) visit(storage, name);
    }
  };

  return {
    /**
     * Keeps a batch, or says that it cannot.
     * @param {string[]} texts
     */
    keep(texts) {
      let content = '';
      let room = MAX_EVENTS - texts.length;
      try {
        for (const text of texts) content += `${content && '\n'}${text}`;
        let chars = MAX_CHARS - content.length;
        each('svc_q.', (storage, name) => {
          room -= Number(name.split('.')[2]) || 0;
          chars -= (storage.getItem(name) || '').length;
        });
        if (room < 0 || chars < 0) return false;
        // In base 36, times of this century are texts in their own order.
        const name = `svc_q.${now().toString(36)}.${texts.length}.${code()}`;
        open().setItem(name, content);
        return open().getItem(name) === content; // some say nothing and keep nothing
      } catch {
        return false;
      }
    },

    /** The name of the oldest batch, if any; what is too old, or none of ours, goes. */
    oldest() {
      let first = '';
      try {
        each('svc_q.', (storage, name) => {
          const [, since] = BATCH.exec(name) || [];
          const age = now() - parseInt(since, 36);
          if (!(age < MAX_AGE_MS && age > -MAX_AGE_MS)) storage.removeItem(name);
          else if (!first || name < first) first = name;
        });
      } catch {}
      return first;
    },

    /** @param {string} name @returns {string[]} */
    read(name) {
      return (open().getItem(name) || '').split('\n');
    },

    /** @param {string} name */
    remove(name) {
      open().removeItem(name);
    },

    /** Everything that the SDK has put into the storage of this origin. */
    clear() {
      try {
        each(OURS, (storage, name) => storage.removeItem(name));
      } catch {}
    },

    /**
     * Calls `work` in one tab at a time, until it calls `release`; `busy` where another tab is at it.
     * @param {(release: (value?: any) => void) => void} work
     * @param {() => void} busy
     */
    locked(work, busy) {
      const { locks } = navigator;
      if (locks) {
        locks
          .request(LOCK, { ifAvailable: true }, (lock) => (lock ? new Promise(work) : busy()))
          .then(undefined, busy);
        return;
      }
      const storage = open();
      const [until] = (storage.getItem(LOCK) || '').split('.');
      const left = Number(until) - now();
      if (left > 0 && left <= LEASE_MS) {
        busy();
        return;
      }
      const lease = `${now() + LEASE_MS}.${code()}`;
      storage.setItem(LOCK, lease);
      startTimer(() => {
        if (storage.getItem(LOCK) === lease) work(() => storage.removeItem(LOCK));
        else busy();
      }, SETTLE_MS);
    },
  };
};
