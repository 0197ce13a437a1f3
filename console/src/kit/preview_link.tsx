import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Schemas } from "../api/client.ts";
import { useDoing } from "../api/loading.ts";
import { Copied } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, TextField } from "./form.tsx";
import { Time } from "./values.tsx";

interface Props {
  /** Which draft is shown: choices above the address. */
  children?: ComponentChildren;
  make: (url: string) => Promise<Schemas["PreviewLink"]>;
  onClose: () => void;
}

/** Make a link to the shop's own page with a draft on it, for those who have the link. */
export function PreviewLinkDialog({ children, make, onClose }: Props) {
  const [url, setUrl] = useState("");
  const [link, setLink] = useState<Schemas["PreviewLink"] | null>(null);
  const doing = useDoing();
  return (
    <Dialog title="Preview on the shop" onClose={onClose}>
      <p>The page opens as visitors would see it. Nothing is counted, and only people with the link see it.</p>
      <Form doing={doing} submit="Make a link" onSubmit={async () => setLink(await make(url.trim()))}>
        {children}
        <TextField
          path="url"
          label="Page of your shop"
          type="url"
          required
          placeholder="https://"
          value={url}
          onChange={setUrl}
        />
      </Form>
      {link && (
        <>
          <Copied text={link.url} />
          <p>
            <a href={link.url} target="_blank" rel="noreferrer">
              Open the page
            </a>{" "}
            <span class="soft">
              The link works until <Time at={link.expires_at} />.
            </span>
          </p>
        </>
      )}
    </Dialog>
  );
}
