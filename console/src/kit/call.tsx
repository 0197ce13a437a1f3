import { useState } from "preact/hooks";
import { asCurl, calls } from "../api/client.ts";
import { Copied } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

/** Every screen shows the calls that it made: what a person does here, a program can do. */
export function CallButton() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet" onClick={() => setOpen(true)}>
        API
      </button>
      {isOpen && (
        <Dialog title="API calls of the console" onClose={() => setOpen(false)} isWide>
          <p class="soft">
            The newest first. A program makes them with an API key; see the <a href="/api/v1/docs">API reference</a>.
          </p>
          {calls.value.map((call, index) => (
            <details key={`${call.requestId}-${index}`} open={index === 0}>
              <summary>
                <code>
                  {call.method} {call.url}
                </code>{" "}
                <span class="soft">{call.status}</span>
              </summary>
              <Copied text={asCurl(call)} label="Copy as curl" />
            </details>
          ))}
        </Dialog>
      )}
    </>
  );
}
