import { api, data, type Schemas } from "../api/client.ts";
import { Problem } from "../api/problems.ts";

const INLINE_BYTES = 3 * 1024 * 1024;
const CHUNK = 0x8000;

/** Upload a file: small ones within the request, large ones to the signed address. Rejects with a Problem. */
export async function upload(file: File): Promise<Schemas["Asset"]> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const name = { file_name: file.name, ...(file.type && { mime_type: file.type }) };
  if (bytes.length <= INLINE_BYTES) {
    return data(api.POST("/assets", { body: { ...name, content_base64: base64(bytes) } }));
  }
  const body = { ...name, size_bytes: bytes.length, sha256: await sha256(bytes) };
  const asset = await data(api.POST("/assets", { body }));
  const params = { path: { asset_id: asset.id } };
  try {
    if (asset.upload) await put(asset.upload, file);
  } catch (thrown) {
    // An asset without its file would stay in the list for a day.
    await data(api.DELETE("/assets/{asset_id}", { params })).catch(() => undefined);
    throw thrown;
  }
  return data(api.POST("/assets/{asset_id}/complete", { params }));
}

async function put({ url, headers }: Schemas["Upload"], file: File): Promise<void> {
  const answer = await fetch(url, { method: "PUT", headers, body: file }).catch(() => null);
  if (answer?.ok) return;
  const message = "The store of files did not take it. Try a file of up to 3 MB, or upload it with the API.";
  throw new Problem({ status: answer?.status ?? 0, code: "upload_failed", message });
}

/** Return bytes as text in base 64. */
export function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const UNITS = ["B", "KB", "MB", "GB"];

/** Return a size as people write it: "1.4 MB". */
export function sizeInWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes > 0 ? Math.floor(Math.log10(bytes) / 3) : 0);
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${UNITS[power]}`;
}
