import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { at, withQuery } from "../../address.ts";
import { api, data, type Schemas } from "../../api/client.ts";
import { type Rows, useDoing, useRows } from "../../api/loading.ts";
import { asProblem } from "../../api/problems.ts";
import { SearchFilter } from "../../kit/filters.tsx";
import { More } from "../../kit/more.tsx";
import { Page } from "../../kit/page.tsx";
import { Thumbnail } from "../../kit/pictures.tsx";
import { Empty, Shown } from "../../kit/state.tsx";
import { notify } from "../../kit/toast.tsx";
import { sizeInWords, upload } from "../../kit/upload.ts";
import { Ago } from "../../kit/values.tsx";
import { may } from "../../session/session.ts";

type Asset = Schemas["Asset"];

const TYPES = {
  "image/png": "PNG pictures",
  "image/jpeg": "JPEG pictures",
  "image/webp": "WebP pictures",
  "image/svg+xml": "SVG drawings",
  "video/mp4": "MP4 films",
  "font/woff2": "Fonts",
  "application/pdf": "PDF documents",
};
const ACCEPTED = ".png,.jpg,.jpeg,.gif,.webp,.avif,.svg,.mp4,.webm,.woff2,.pdf";

/** The files of the shop, with their pictures. */
export default function Assets() {
  const { url, query, route } = useLocation();
  const { q, type, archived } = query as { q?: string; type?: string; archived?: "true" };
  const rows = useRows(
    (cursor) => data(api.GET("/assets", { params: { query: { q, mime_type: type, archived, cursor } } })),
    [q, type, archived],
  );
  const filter = (values: Record<string, string>) => route(withQuery(url, values), true);
  return (
    <Page
      title="Files and pictures"
      lead="What landing pages and changes show. A file keeps its address for good."
      actions={may("assets:write") && <Upload of={rows} />}
    >
      <div class="filters">
        <SearchFilter label="Name" value={q} onSearch={(text) => filter({ q: text })} />
        <select aria-label="Kind" value={type ?? ""} onChange={(event) => filter({ type: event.currentTarget.value })}>
          <option value="">Every kind</option>
          {Object.entries(TYPES).map(([each, name]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
        <select
          aria-label="Which"
          value={archived ?? ""}
          onChange={(event) => filter({ archived: event.currentTarget.value })}
        >
          <option value="">In use</option>
          <option value="true">Archived</option>
        </select>
      </div>
      <Shown of={rows}>
        {(assets) =>
          assets.length ? (
            <ul class="gallery">
              {assets.map((asset) => (
                <Tile key={asset.id} asset={asset} />
              ))}
            </ul>
          ) : (
            <Empty title={q || type || archived ? "No file is like this" : "No file yet"}>
              <p>Upload pictures, films, fonts and documents, of up to 20 MB each.</p>
            </Empty>
          )
        }
      </Shown>
      <More of={rows} />
    </Page>
  );
}

function Tile({ asset }: { asset: Asset }) {
  return (
    <li class="tile">
      <a href={at("/assets", asset.id)}>
        <Thumbnail asset={asset} />
        <span>{asset.name}</span>
      </a>
      <p class="soft">
        {sizeInWords(asset.size_bytes)} · <Ago at={asset.created_at} />
      </p>
    </li>
  );
}

function Upload({ of }: { of: Rows<Asset> }) {
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState("");
  const doing = useDoing();
  const send = async (files: readonly File[]) => {
    let taken = 0;
    for (const [index, file] of files.entries()) {
      setProgress(`Uploading ${index + 1} of ${files.length} …`);
      try {
        await upload(file);
        taken++;
      } catch (thrown) {
        notify(`${file.name}: ${asProblem(thrown).message}`, "bad");
      }
    }
    setProgress("");
    if (taken) notify(taken === 1 ? "File uploaded" : `${taken} files uploaded`);
    await of.reload();
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="Files to upload"
        multiple
        accept={ACCEPTED}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length) void doing.run(() => send(files));
        }}
      />
      <button type="button" class="primary" disabled={doing.isBusy} onClick={() => input.current?.click()}>
        {progress || "Upload files"}
      </button>
    </>
  );
}
