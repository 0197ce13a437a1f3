import type { LiveWindow } from "./live.ts";
import type { EditedPage } from "./page.ts";

interface LiveStageProps {
  live: LiveWindow;
  page: EditedPage;
  onHere: () => void;
}

interface Said {
  title: string;
  text: string;
  reasons?: string[];
}

/** In the place of the page: what became of the window that has it. */
export function LiveStage({ live, page, onHere }: LiveStageProps) {
  const { title, text, reasons } = said(live, page);
  const isThere = live.state === "open";
  return (
    <div class="live" role="status">
      <h2>{title}</h2>
      <p>{text}</p>
      {reasons && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <p class="buttons">
        {isThere && page.state === "ready" ? (
          <button type="button" class="primary" onClick={live.show}>
            Show the window
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => live.open(live.address)}>
            {isThere && page.state === "waiting" ? "Load it again" : "Open it again"}
          </button>
        )}
        <button type="button" onClick={onHere}>
          Show the page here
        </button>
      </p>
    </div>
  );
}

const BY_HAND = "Without it: show the page here, or write changes by hand in the list.";

function said({ state }: LiveWindow, page: EditedPage): Said {
  if (state === "blocked") {
    return {
      title: "No window could be opened",
      text: "The browser blocked it, or the address is not that of a page. Allow pop-ups for the console, and try again.",
    };
  }
  if (state === "gone") {
    return {
      title: "The window is not connected",
      text: "It was closed, or its page does not stay connected to the window that opened it.",
      reasons: [
        "Shops do that with the header Cross-Origin-Opener-Policy, and so do some pages for signing in. Sign in to the shop in another tab first.",
        BY_HAND,
      ],
    };
  }
  if (page.state === "silent") {
    return {
      title: "The page does not answer",
      text: "It may be one that is not the shop's, such as a sign-in: then go on there. Else one of these:",
      reasons: [
        "The shop's tag is not on the page, or was published before this way existed: publish the shop again.",
        "The page's own rules (Content-Security-Policy) let no script in, or its header Cross-Origin-Opener-Policy separates it from this window.",
        "The host is not among the shop's install domains.",
        BY_HAND,
      ],
    };
  }
  if (page.state === "waiting") {
    return {
      title: "Waiting for the shop's page",
      text: "Sign in there where it wants you to: the editor comes with each page of the shop.",
    };
  }
  return {
    title: "The page is in a window of its own",
    text: "Point at something there; what you change is in the panel here. Nothing in that window is counted.",
  };
}
